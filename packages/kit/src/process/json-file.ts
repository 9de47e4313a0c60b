import { constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';

/** The content of a JSON file; null when the file does not exist, is not JSON or does not match `schema`. */
export async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data ?? null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Replace a JSON file atomically: a reader sees the old content or the new one, also after a power failure. The file is
 * readable by its owner only. Two writers of one path must not run at the same time (`KeyedMutex`).
 */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const temporaryPath = `${path}.part`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = await open(temporaryPath, flags, 0o600);
  try {
    await file.writeFile(JSON.stringify(value));
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(temporaryPath, path);
  await syncDirectory(dirname(path));
}

/** Make created, renamed and removed names of a directory survive a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
