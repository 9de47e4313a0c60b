import type { FileHandle } from 'node:fs/promises';
import type { FilesContext } from '../../context.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { type Entry, entryOf, mimetypeOfOpenFile } from '../../jail/entries.js';
import { mapFsErrors } from '../../jail/errno.js';
import { openForReading } from '../../jail/node.js';
import { resolve } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import { type FileAccess, withWorkspace } from './workspace.js';

const chunkBytes = 256 * 1024;

export interface OpenedFile {
  /** The caller closes it. */
  readonly file: FileHandle;
  readonly entry: Entry;
}

/** Open a regular file for reading. Throws NOT_A_FILE, FILE_NOT_FOUND, FILE_DENIED, LINK_REFUSED. */
export async function openFile(
  context: Pick<FilesContext, 'volumes' | 'freezes'>,
  { path, ...access }: FileAccess & { readonly path: string },
): Promise<OpenedFile> {
  return withWorkspace(context, access, async ({ root, readGuard }) => {
    const requested = parsePath(path, 'path');
    readGuard.check(displayPath(requested), false);
    return resolve(root, requested, { followLast: true }, async ({ node, stats, segments }) => {
      // checked on the open node, so that no pipe blocks and no device is touched
      if (!stats.isFile()) throw fail('NOT_A_FILE', 'this is not a regular file');
      readGuard.check(displayPath(segments), false);
      const name = segments.at(-1) ?? Buffer.alloc(0);
      const file = await openForReading(node);
      try {
        return { file, entry: entryOf(name, stats, await mimetypeOfOpenFile(name, file)) };
      } catch (error) {
        await file.close();
        throw error;
      }
    });
  });
}

/** `length` bytes of an open file from `offset`, in chunks; fewer when the file shrinks. */
export async function* readChunks(file: FileHandle, offset: number, length: number): AsyncGenerator<Buffer> {
  let position = offset;
  const end = offset + length;
  while (position < end) {
    // a new buffer each time: the one before may still wait to be sent
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - position));
    const { bytesRead } = await mapFsErrors(async () => file.read(buffer, 0, buffer.length, position));
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
