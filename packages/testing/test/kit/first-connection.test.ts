import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { testMongoUrl } from '../../src/index.js';
import { expect } from 'chai';
import { connectMongo } from '@panel/kit/mongo';

describe('the first connection to a database', () => {
  /** A relay to the database of the tests, which begins to listen late. */
  const relayTo = ({ hostname, port }: URL): Server =>
    createServer((socket) => {
      const upstream = connect(Number(port || 27_017), hostname);
      for (const each of [socket, upstream]) each.on('error', () => socket.destroy() && upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    });

  it('waits for a database that starts later', async () => {
    const url = new URL(testMongoUrl('late'));
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const { port } = first.address() as { port: number };
    first.close();
    const relay = relayTo(url);
    url.host = `127.0.0.1:${port}`;
    url.searchParams.set('directConnection', 'true');
    const connecting = connectMongo(url.href, { appName: 'test', timeoutMs: 20_000 });
    setTimeout(() => relay.listen(port, '127.0.0.1'), 2_500);
    const connection = await connecting;
    expect(connection.readyState).to.equal(1);
    await connection.close();
    relay.close();
  });

  it('gives up after its time with the address and without the password', async () => {
    const failure = await connectMongo('mongodb://name:secret@127.0.0.1:1/x', {
      appName: 'test',
      timeoutMs: 1_500,
    }).then(String, String);
    expect(failure).to.include('MongoDB does not answer at mongodb://127.0.0.1:1/x').and.not.to.include('secret');
  });
});
