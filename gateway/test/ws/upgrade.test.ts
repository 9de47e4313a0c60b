import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { guard } from '../../src/ws/upgrade.js';
import { silent } from '../support/fake-service.js';

describe('exception in a socket handler', () => {
  const fakeSocket = () => {
    const closed: number[] = [];
    return { closed, socket: { close: (code?: number) => void closed.push(code ?? 0), terminate: () => undefined } };
  };

  it('closes that socket only', async () => {
    for (const handler of [
      () => {
        throw new Error('a defect');
      },
      async () => {
        await Promise.resolve();
        throw new Error('a defect');
      },
    ]) {
      const { socket, closed } = fakeSocket();
      const emitter = new EventEmitter();
      emitter.on('message', () => guard(socket, silent, handler));
      emitter.emit('message');
      await new Promise((resolve) => setImmediate(resolve));
      expect(closed).to.deep.equal([1011]);
    }
  });

  it('keeps an exception in a socket handler from other sockets', () => {
    const { socket, closed } = fakeSocket();
    guard(socket, silent, () => 1);
    expect(closed).to.deep.equal([]);
  });
});
