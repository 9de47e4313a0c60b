import type { FileHandle } from 'node:fs/promises';
import { expect } from 'chai';
import { readUpTo } from '../../src/jail/node.js';

/** A file that returns at most three bytes a read, as file systems in user space do. */
function slowFile(content: string): FileHandle {
  const bytes = Buffer.from(content);
  const read = async (target: Buffer, offset: number, length: number, position: number) => ({
    bytesRead: bytes.copy(target, offset, position, position + Math.min(length, 3)),
  });
  return { read } as unknown as FileHandle;
}

describe('readUpTo', () => {
  it('reads on after short reads', async () => {
    expect((await readUpTo(slowFile('ten  bytes'), 100)).toString()).to.equal('ten  bytes');
  });

  it('returns at most the wanted bytes', async () => {
    expect((await readUpTo(slowFile('ten  bytes'), 7)).toString()).to.equal('ten  by');
  });
});
