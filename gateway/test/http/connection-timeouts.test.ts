import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createHttpServer } from '../../src/http/http-server.js';
import { refuseConnection } from '../../src/http/refuse-connection.js';
import { notFound } from '../../src/reasons.js';

const timeouts = { headersMs: 300, bodyMs: 300, stalledMs: 500, idleMs: 300 };
/** Longer than each timeout plus the check interval. */
const longestMs = 3_000;
const upgrade = 'GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const h2c = upgrade.replace('websocket', 'h2c');

describe('connections', function () {
  this.timeout(180_000);
  let server: Server;
  const sockets = new Set<Socket>();
  const listening = async (given: typeof timeouts): Promise<Server> => {
    const made = createHttpServer({
      onRequest: (request, response) => {
        if (request.url !== '/large') {
          request.resume();
          request.once('end', () => response.end('ok'));
          return;
        }
        response.writeHead(200);
        response.write(Buffer.alloc(64 * 1024 * 1024));
      },
      onUpgrade: (_request, socket) => refuseConnection(socket, notFound(), 100),
      generalLimit: 100,
      timeouts: given,
    });
    made.listen(0, '127.0.0.1');
    await once(made, 'listening');
    return made;
  };
  before(async () => (server = await listening(timeouts)));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const open = async (to = server): Promise<Socket> => {
    const address = to.address();
    // Keeps its side open, like a malicious client.
    const socket = connect({ port: typeof address === 'object' ? (address?.port ?? 0) : 0, allowHalfOpen: true });
    sockets.add(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const remaining = async () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  /** One byte at intervals. */
  const drip = (socket: Socket, head: string) => {
    socket.write(head);
    const timer = setInterval(() => socket.write('x'), 50);
    socket.once('close', () => clearInterval(timer));
  };

  const states: [string, (socket: Socket) => void, boolean?][] = [
    ['that send nothing', () => undefined],
    ['that send headers slowly', (socket) => drip(socket, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ')],
    [
      'that send a body slowly',
      (socket) => drip(socket, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n'),
    ],
    ['that send no body', (socket) => socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n')],
    [
      'that send chunks slowly',
      (socket) => socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx'),
    ],
    ['that are idle after a request', (socket) => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['that do not read the response', (socket) => socket.pause().write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n'), true],
    ['whose upgrade is refused', (socket) => socket.write(upgrade)],
    ['that offer h2c', (socket) => socket.write(h2c)],
    ['that ask for a tunnel', (socket) => socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['that are no HTTP', (socket) => socket.write('\x16\x03\x01\x00\xa5\x01\r\n\r\n')],
  ];
  for (const [name, use, isPaused = false] of states) {
    it(`closes connections ${name} in time`, async () => {
      const socket = await open();
      if (!isPaused) socket.resume();
      use(socket);
      await waitUntil('the end of the connection', async () => (await remaining()) === 0, longestMs);
      socket.destroy();
    });
  }

  it('says nothing on a connection that was opened ahead, for a browser would take it for a response', async () => {
    // As in production the wait for headers ends first.
    const usual = await listening({ ...timeouts, stalledMs: 10_000 });
    const received = async (head: string) => {
      const socket = await open(usual);
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => (text += part));
      if (head !== '') drip(socket, head);
      await once(socket, 'end');
      socket.destroy();
      return text;
    };
    expect(await received('')).to.equal('');
    expect(await received('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ')).to.match(/^HTTP\/1\.1 400 /);
    usual.close();
  });

  it('closes all connections of 1,000 anonymous upgrades', async () => {
    const all = await Promise.all(Array.from({ length: 1_000 }, async () => open()));
    for (const socket of all) socket.resume().write(upgrade);
    await waitUntil('the end of the connections', async () => (await remaining()) === 0, 20_000);
    expect(await remaining()).to.equal(0);
    for (const socket of all) socket.destroy();
  });
});
