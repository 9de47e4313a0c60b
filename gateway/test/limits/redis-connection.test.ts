import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { connectRedis, waitForRedis } from '../../src/limits/redis-connection.js';

/** Relay to Redis; `lose` blocks open connections without closing them. */
async function startRelay(context: Mocha.Context) {
  const redisUrl = await testRedisUrl();
  if (redisUrl === null) return context.skip();
  const target = new URL(redisUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => !lost.has(from) && to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  const lost = new Set<Socket>();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    lose: () => {
      for (const socket of sockets) lost.add(socket);
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('connection to Redis', () => {
  it('replaces a connection within seconds when the machine behind it is gone without a word', async function () {
    this.timeout(20_000);
    const relay = await startRelay(this);
    const redis = connectRedis(relay.url, createLogger({ service: 'test', level: 'silent' }));
    try {
      await waitForRedis(redis);
      expect(await redis.ping()).to.equal('PONG');
      relay.lose();
      const begin = performance.now();
      await waitUntil('Redis to answer again', async () =>
        redis.ping().then(
          () => true,
          () => false,
        ),
      );
      expect(performance.now() - begin).to.be.below(8_000);
    } finally {
      redis.disconnect();
      relay.stop();
    }
  });
});
