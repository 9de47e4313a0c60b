import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { expect } from 'chai';
import * as ws from 'ws';
import { textFrame } from '../../src/ws/frame.js';

/** Exported by ws, but not by its types. */
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Writable };

describe('WebSocket frame', () => {
  it('writes a readable WebSocket frame at every header length', async () => {
    for (const length of [0, 1, 125, 126, 65_535, 65_536, 200_000]) {
      const text = 'ä'.repeat(Math.floor(length / 2)) + 'x'.repeat(length % 2);
      const receiver = new Receiver({ isServer: false });
      const received = once(receiver, 'message');
      receiver.write(textFrame(text));
      const [data, isBinary] = (await received) as [Buffer, boolean];
      expect([data.toString() === text, isBinary], `${length}`).to.deep.equal([true, false]);
    }
  });
});
