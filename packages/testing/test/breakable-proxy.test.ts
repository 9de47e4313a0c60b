import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { type BreakableProxy, startBreakableProxy } from '../src/breakable-proxy.js';

describe('breakable proxy', () => {
  let target: Server;
  let proxy: BreakableProxy;
  let received: string;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    received = '';
    target = createServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        socket.write(`<${chunk.toString()}>`);
      });
      socket.on('error', () => undefined);
    });
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    proxy = await startBreakableProxy({ host: '127.0.0.1', port: (target.address() as AddressInfo).port });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await proxy.close();
    target.close();
  });

  /** A connection that has had one answer. */
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port: proxy.port });
    socket.on('error', () => undefined);
    sockets.push(socket);
    socket.write('a');
    expect(String(await once(socket, 'data'))).to.equal('<a>');
    return socket;
  };

  it('passes half of a request and ends the connection', async () => {
    const socket = await open();
    proxy.cut();
    socket.write('bcde');
    await once(socket, 'close');
    expect(received).to.be.oneOf(['a', 'abc']);
    await open();
  });

  it('passes a request and ends the connection instead of its answer', async () => {
    const socket = await open();
    proxy.loseReplies();
    let answered = false;
    socket.on('data', () => (answered = true));
    socket.write('b');
    await once(socket, 'close');
    expect([received, answered]).to.deep.equal(['ab', false]);
    await open();
  });

  it('delays what is sent until it is mended', async () => {
    const socket = await open();
    proxy.delay(40);
    const begin = performance.now();
    socket.write('b');
    expect(String(await once(socket, 'data'))).to.equal('<b>');
    expect(performance.now() - begin).to.be.at.least(75);
    await proxy.mend();
    await open();
  });
});
