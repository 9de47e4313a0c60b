import { expect } from 'chai';
import { ownBytes } from '../../src/threads/index.js';

describe('bytes for a transfer', () => {
  it('keep their memory when nothing else lies in it, and leave that of others', () => {
    const alone = Buffer.allocUnsafeSlow(64 * 1024).fill(7);
    expect(ownBytes(alone).buffer).to.equal(alone.buffer);
    const part = alone.subarray(1, 4);
    const copy = ownBytes(part);
    expect(copy.buffer.byteLength).to.equal(3);
    expect([...copy]).to.deep.equal([7, 7, 7]);
    expect(ownBytes(Buffer.from('pooled')).buffer.byteLength).to.equal(6);
  });
});
