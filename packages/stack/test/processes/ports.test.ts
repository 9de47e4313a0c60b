import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePorts, isFree, bindErrorCode } from '../../src/processes/ports.js';

describe('freePorts', () => {
  it('finds distinct ports outside the ranges of games and outgoing connections', async () => {
    const ports = await freePorts(40);
    expect(new Set(ports).size).to.equal(40);
    for (const port of ports) {
      expect(port).to.be.within(10_240, 61_000);
      expect(port < 25_500 || port > 25_700).to.equal(true);
      expect(await isFree(port, '127.0.0.1')).to.equal(true);
    }
  });

  it('reports why a port is unavailable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await bindErrorCode(port, '127.0.0.1')).to.equal('EADDRINUSE');
    expect(await bindErrorCode(port, '203.0.113.1')).to.equal('EADDRNOTAVAIL');
    server.close();
  });
});
