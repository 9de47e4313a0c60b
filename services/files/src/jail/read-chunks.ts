import type { FileHandle } from 'node:fs/promises';
import { mapFsErrors } from './errno.js';

const blockBytes = 512 * 1024;

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

/** The next bytes; a failure that no caller awaits is not reported. */
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
