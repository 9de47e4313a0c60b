import { writeArchive } from '../../archives/write-archive.js';
import type { FilesContext } from '../../context.js';
import { createFileGuards } from '../../domain/file-guard.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { mapFsErrors } from '../../jail/errno.js';
import { resolve } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import type { FileAccess, Workspace } from '../../workspace/workspace.js';
import { archiveItems, archiveItemsOfRoot } from '../../archives/archive-items.js';

/** Packed on the fly. Throws FILE_NOT_FOUND, NOT_A_DIRECTORY, FILE_DENIED, PATH_FORBIDDEN, OPERATION_LIMIT. */
export async function* readDirectoryAsArchive(
  { archiveReads, tempNames, volumes }: Pick<FilesContext, 'archiveReads' | 'tempNames' | 'volumes'>,
  { grant, signal, path }: FileAccess & { readonly path: string },
): AsyncGenerator<Buffer> {
  const requested = parsePath(path, 'path');
  const release = archiveReads.take(grant);
  try {
    const root = await mapFsErrors(async () => volumes.openRoot(grant.volume));
    try {
      const workspace = { grant, root, ...createFileGuards(grant), signal };
      await mapFsErrors(async () => requireDirectory(workspace, path));
      const options = { root: requested.slice(0, -1), paths: [requested], tempNames, onSkip: () => undefined };
      const items = requested.length > 0 ? archiveItems(workspace, options) : archiveItemsOfRoot(workspace, options);
      yield* writeArchive('tar.gz', items, signal);
    } finally {
      await root.close();
    }
  } finally {
    release();
  }
}

/** A later failure can only truncate the archive. */
async function requireDirectory({ readGuard, root }: Workspace, path: string): Promise<void> {
  const requested = parsePath(path, 'path');
  readGuard.check(displayPath(requested), true);
  await resolve(root, requested, { followLast: false }, async ({ segments, stats }) => {
    if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
    readGuard.check(displayPath(segments), true);
  });
}
