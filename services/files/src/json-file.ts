import { constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import type { z } from 'zod';
import { isErrno } from './jail/errno.js';
import { closing } from './jail/node.js';

/** Null when there is none, or none that can be understood. */
export async function readJson<T>(at: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.safeParse(JSON.parse(await readFile(at, 'utf8'))).data ?? null;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Readers see the old content or the new. The content is on the disk afterwards; the name, when the directory is synced. */
export async function writeJson(at: string, value: unknown): Promise<void> {
  const temporary = `${at}.part`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  await closing(await open(temporary, flags, 0o600), async (file) => {
    await file.writeFile(JSON.stringify(value));
    await file.datasync();
  });
  await rename(temporary, at);
}
