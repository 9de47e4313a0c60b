import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import type { FileVersion } from '../../domain/file-version.js';
import { displayPath, parsePath } from '../../domain/path.js';

type Context = Pick<FilesContext, 'versions'>;

/** Newest first. Throws FILE_DENIED, PATH_FORBIDDEN. */
export async function listFileVersions({ versions }: Context, grant: FileGrant, text: string): Promise<FileVersion[]> {
  const path = displayPath(parsePath(text, 'path'));
  createFileGuard(grant).check(path, false);
  return versions.list(grant.serverId, `/${path}`);
}

/** Throws VERSION_NOT_FOUND, STORAGE_UNAVAILABLE, FILE_DENIED, PATH_FORBIDDEN. */
export async function readFileVersion(
  { versions }: Context,
  grant: FileGrant,
  id: string,
): Promise<{ readonly version: FileVersion; readonly content: Buffer }> {
  const version = await versions.find(grant.serverId, id);
  createFileGuard(grant).check(version.path.slice(1), false);
  return { version, content: await versions.read(version) };
}
