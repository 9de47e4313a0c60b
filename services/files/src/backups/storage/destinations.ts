import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isErrno } from '@panel/kit/errors';
import type { S3Config } from '../archive/s3-blobs.js';

const markName = '.panel-destination';

/** Two nodes with one destination reach the same objects. */
export function bucketDestination({
  endpoint,
  bucket,
  prefix,
}: Pick<S3Config, 'endpoint' | 'bucket' | 'prefix'>): string {
  const place = endpoint === undefined ? 's3:' : `s3:${new URL(endpoint).host}/`;
  return `${place}${bucket}/${prefix}`.replace(/\/$/, '');
}

/**
 * A directory, which can be local or shared, has a name of its own in a file; other places are their addresses. Throws
 * the errors of the file system.
 */
export async function repositoryDestination(repository: string): Promise<string> {
  if (!repository.startsWith('/')) return withoutCredentials(repository).replace(/\/$/, '');
  await mkdir(repository, { recursive: true, mode: 0o700 });
  const file = path.join(repository, markName);
  const name = await readFile(file, 'utf8').catch(async (error: unknown) => {
    if (!isErrno(error, 'ENOENT')) throw error;
    await writeMark(file);
    return readFile(file, 'utf8');
  });
  return `restic:${repository}#${name}`;
}

/** Whole under its name, or not at all: another node may do the same. */
async function writeMark(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, randomUUID(), { flag: 'wx', mode: 0o600, flush: true });
  try {
    await link(draft, file);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** `rest:https://user:secret@host/path` → `rest:https://host/path`. */
function withoutCredentials(repository: string): string {
  return repository.replace(/\/\/[^/]*@/, '//');
}
