import type { FileHandle } from 'node:fs/promises';
import type { FilesContext } from '../../context.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { type Entry, entryOf, mimetypeOfOpenFile } from '../../jail/entries.js';
import { mapFsErrors } from '../../jail/errno.js';
import { openForReading } from '../../jail/node.js';
import { resolve } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import { type FileAccess, withWorkspace } from './workspace.js';

const blockBytes = 512 * 1024;

export interface OpenedFile {
  /** The caller closes it. */
  readonly file: FileHandle;
  readonly entry: Entry;
}

/** Open a regular file for reading. Throws NOT_A_FILE, FILE_NOT_FOUND, FILE_DENIED, LINK_REFUSED. */
export async function openFile(
  context: Pick<FilesContext, 'volumes' | 'freezes' | 'quotas'>,
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

/**
 * `length` bytes of an open file from `offset`; fewer when the file shrinks. Reads one block ahead, in few large reads: each one
 * wakes another thread.
 */
export async function* readChunks(file: FileHandle, offset: number, length: number): AsyncGenerator<Buffer> {
  const end = offset + length;
  let position = offset;
  let next = readBlock(file, position, end);
  while (position < end) {
    const block = await mapFsErrors(async () => next);
    if (block.length === 0) return;
    position += block.length;
    if (position < end) next = readBlock(file, position, end);
    yield block;
  }
}

/** The next bytes; whoever does not wait for them any more hears of no failure. */
function readBlock(file: FileHandle, position: number, end: number): Promise<Buffer> {
  const read = async () => {
    // a new buffer each time: the one before may still wait to be sent
    const buffer = Buffer.allocUnsafeSlow(Math.min(blockBytes, end - position));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    return buffer.subarray(0, bytesRead);
  };
  const block = read();
  block.catch(() => undefined);
  return block;
}
