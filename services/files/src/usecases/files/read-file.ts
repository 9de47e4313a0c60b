import type { FileHandle } from 'node:fs/promises';
import type { FilesContext } from '../../context.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { type Entry, entryOf, mimetypeOfOpenFile } from '../../jail/entries.js';
import { openForReading } from '../../jail/node.js';
import { readChunks } from '../../jail/read-chunks.js';
import { resolve } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import { type FileAccess, withWorkspace } from '../../workspace/workspace.js';

interface OpenedFile {
  /** The caller closes it. */
  readonly file: FileHandle;
  readonly entry: Entry;
}

/** Throws NOT_A_FILE, FILE_NOT_FOUND, FILE_DENIED, LINK_REFUSED. */
export async function openFile(
  context: Pick<FilesContext, 'volumes' | 'freezes' | 'quotas'>,
  { path, ...access }: FileAccess & { readonly path: string },
): Promise<OpenedFile> {
  return withWorkspace(context, access, async ({ root, readGuard }) => {
    const requested = parsePath(path, 'path');
    readGuard.check(displayPath(requested), false);
    return resolve(root, requested, { followLast: true }, async ({ node, stats, segments }) => {
      // on the open node: pipes do not block, devices stay untouched
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

/** Of the length at opening; `limitBytes` 0: to its end. */
export function readRange(
  { file, entry }: OpenedFile,
  { offsetBytes, limitBytes }: { readonly offsetBytes: number; readonly limitBytes: number },
): AsyncGenerator<Buffer> {
  const remaining = Math.max(0, entry.sizeBytes - offsetBytes);
  return readChunks(file, offsetBytes, limitBytes === 0 ? remaining : Math.min(remaining, limitBytes));
}
