import type { FileHandle } from 'node:fs/promises';
import { mapFsErrors } from './errno.js';

const blockBytes = 512 * 1024;

/** Fewer bytes if the file shrinks. Large blocks with one read-ahead: each read wakes another thread. */
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

/** An unawaited failure is not reported. */
function readBlock(file: FileHandle, position: number, end: number): Promise<Buffer> {
  const read = async () => {
    // the last buffer may still be queued
    const buffer = Buffer.allocUnsafeSlow(Math.min(blockBytes, end - position));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    return buffer.subarray(0, bytesRead);
  };
  const block = read();
  block.catch(() => undefined);
  return block;
}
