import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Engine } from '../src/docker/engine.js';

describe('calls of an engine', () => {
  it('cost the same beside many open streams', async () => {
    const server = createServer((request, response) => {
      if (request.url?.includes('/logs')) response.flushHeaders();
      else response.end('OK');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const engine = new Engine({ url: `tcp://127.0.0.1:${port}` });
    const streams = await Promise.all(
      Array.from({ length: 80 }, async () =>
        engine.openStream(async (docker) => docker.getContainer('a').logs({ follow: true, stdout: true })),
      ),
    );
    const before = process.cpuUsage();
    for (let i = 0; i < 50; i++) await engine.ping();
    const { user, system } = process.cpuUsage(before);
    for (const stream of streams) stream.destroy();
    engine.close();
    server.closeAllConnections();
    server.close();
    // A call that looks at all sockets takes 100 ms and more, this one about 1 ms.
    expect((user + system) / 1_000 / 50).to.be.lessThan(25);
  });
});
