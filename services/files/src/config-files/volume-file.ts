import type { FileHandle } from 'node:fs/promises';
import { isAppError, isErrno } from '@panel/kit/errors';
import { withDirectories } from '../jail/directories.js';
import { withAtomicFile } from '../jail/atomic-write.js';
import { openForReading, readUpTo, withHandle } from '../jail/node.js';
import type { Segments } from '../domain/path.js';
import { locate } from '../jail/location.js';
import { resolve } from '../jail/resolve.js';
import type { TempNames } from '../jail/temp-names.js';
import type { Owner } from '../jail/owner.js';
import { RewriteError } from './rewrite-error.js';

interface VolumeFile {
  /** With links resolved. */
  readonly segments: Segments;
  readonly content: Buffer;
  /** Without set-id bits. */
  readonly mode: number;
  readonly owner: Owner;
}

/** Null when missing. Throws RewriteError for a non-regular or larger file, and errors of `resolve`. */
export async function readVolumeFile(
  root: FileHandle,
  segments: Segments,
  maxBytes: number,
): Promise<VolumeFile | null> {
  try {
    return await resolve(root, segments, { followLast: true }, async ({ node, stats, segments: real }) => {
      if (!stats.isFile()) throw new RewriteError('it is not a regular file');
      const content = await withHandle(await openForReading(node), async (file) => readUpTo(file, maxBytes + 1));
      if (content.length > maxBytes) throw new RewriteError(`it is larger than ${maxBytes} bytes`);
      const owner = { uid: Number(stats.uid), gid: Number(stats.gid) };
      return { segments: real, content, mode: Number(stats.mode) & 0o777, owner };
    });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

interface NewContent {
  readonly content: Buffer;
  readonly mode: number;
  readonly owner: Owner;
}

/**
 * Atomic, also across a crash. Replaces a link, without following it. Creates missing directories for `volumeOwner`.
 */
export async function writeVolumeFile(
  root: FileHandle,
  segments: Segments,
  { content, mode, owner }: NewContent,
  { volumeOwner, tempNames }: { readonly volumeOwner: Owner; readonly tempNames: TempNames },
): Promise<void> {
  await locate(root, segments, 'path', async (location) =>
    withDirectories(location.directory, location.missing, volumeOwner, async (directory) =>
      withAtomicFile({ directory, mode, owner, tempNames }, async (file) => {
        await file.write(content);
        await file.replace(directory, location.name);
      }),
    ),
  );
}

function isMissing(error: unknown): boolean {
  return isAppError(error, 'FILE_NOT_FOUND') || isErrno(error, 'ENOENT');
}
