import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Engine } from '../src/docker/engine.js';
import { readContainerOutput } from '../src/docker/output.js';

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
    // A call that inspects all sockets takes 100 ms and more, this one about 1 ms.
    expect((user + system) / 1_000 / 50).to.be.lessThan(25);
  });

  it('repeats calls for the last lines of an ended container that an engine refuses or breaks off', async () => {
    const line = (at: number) => `2026-01-02T03:04:0${at}.000000000Z line ${at}\n`;
    const id = 'c'.repeat(64);
    let tries = 0;
    const server = createServer((request, response) => {
      if (request.url?.includes('/json')) {
        const State = { Running: false, Paused: false, Restarting: false };
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ Id: id, State }));
      } else if (request.url?.includes('follow=true')) {
        response.end(line(1));
      } else {
        tries += 1;
        if (tries === 1) response.writeHead(500).end('{"message":"busy"}');
        else if (tries === 2) response.writeHead(200, { 'Content-Length': '1000' }).write(line(1));
        else response.end([1, 2, 3].map(line).join(''));
        if (tries === 2) setTimeout(() => response.destroy(), 50);
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const engine = new Engine({ url: `tcp://127.0.0.1:${port}`, timeoutMs: 700 });
    const lines: string[] = [];
    const signal = AbortSignal.timeout(20_000);
    for await (const { data } of readContainerOutput(engine, id, { after: undefined, signal }))
      lines.push(data.toString());
    engine.close();
    server.closeAllConnections();
    server.close();
    expect(lines).to.deep.equal(['line 1\n', 'line 2\n', 'line 3\n']);
    expect(tries).to.equal(3);
  });
});
