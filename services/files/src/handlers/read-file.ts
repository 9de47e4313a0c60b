import type { FileHandle } from 'node:fs/promises';
import { type FieldMessages, invalidFields } from '@panel/kit';
import type { Handler } from '@panel/rpc';
import type { FileServiceService, ReadFileRequest, ReadFileResponse } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { type Entry, entryOf, mimetypeOfOpenFile } from '../jail/entries.js';
import { diskWork } from '../jail/errno.js';
import { openForReading } from '../jail/node.js';
import { displayPath, parsePath } from '../jail/path.js';
import { resolve } from '../jail/resolve.js';
import { presentEntry } from '../present.js';
import { fail } from '../reasons.js';
import { withWorkspace } from '../workspace.js';

const chunkBytes = 256 * 1024;

interface OpenedFile {
  readonly file: FileHandle;
  readonly entry: Entry;
}

/** A file of a server: first what it is, then its bytes, as many as it had when it was opened. */
export function readFile(context: FilesContext): Handler<FileServiceService['readFile']> {
  return async function* (request, { signal }) {
    checkRange(request);
    const { file, entry } = await openGranted(context, request, signal);
    try {
      yield { part: { $case: 'entry', value: presentEntry(entry) } };
      const left = Math.max(0, entry.sizeBytes - request.offsetBytes);
      const wanted = request.limitBytes === 0 ? left : Math.min(left, request.limitBytes);
      yield* chunksOf(file, request.offsetBytes, wanted);
    } finally {
      await file.close();
    }
  };
}

function checkRange(request: ReadFileRequest): void {
  const fields: FieldMessages = {};
  for (const [name, value] of [
    ['offset_bytes', request.offsetBytes],
    ['limit_bytes', request.limitBytes],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 0) fields[name] = ['must be 0 or more'];
  }
  if (Object.keys(fields).length > 0) throw invalidFields(fields);
}

async function openGranted(context: FilesContext, request: ReadFileRequest, signal: AbortSignal): Promise<OpenedFile> {
  const access = { grant: request.grant, permission: 'file.read-content', signal } as const;
  return withWorkspace(context, access, async ({ root, denylist }) => {
    const asked = parsePath(request.path, 'path');
    denylist.check(displayPath(asked), false);
    return resolve(root, asked, { followLast: true }, async ({ node, stats, segments }) => {
      // asked of the open node, so that no pipe can block us and no device is touched
      if (!stats.isFile()) throw fail('NOT_A_FILE', 'this is not a regular file');
      denylist.check(displayPath(segments), false);
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

async function* chunksOf(file: FileHandle, offset: number, wanted: number): AsyncGenerator<ReadFileResponse> {
  let position = offset;
  const end = offset + wanted;
  while (position < end) {
    // a new buffer each time: the one before may still wait to be sent
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - position));
    const { bytesRead } = await diskWork(async () => file.read(buffer, 0, buffer.length, position));
    if (bytesRead === 0) return;
    position += bytesRead;
    yield { part: { $case: 'chunk', value: buffer.subarray(0, bytesRead) } };
  }
}
