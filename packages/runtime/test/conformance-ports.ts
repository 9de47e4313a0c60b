import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { Fixture, type Subject } from './fixture.js';

interface Occupied {
  readonly port: number;
  readonly free: () => Promise<void>;
}

const listen = {
  tcp: async (port: number): Promise<Occupied> => {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return { port, free: () => new Promise((resolve) => server.close(() => resolve())) };
  },
  udp: async (port: number): Promise<Occupied> => {
    const socket = createSocket('udp4').bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return { port, free: () => new Promise((resolve) => socket.close(() => resolve())) };
  },
};

/** In one protocol, free in the other, below the kernel's ephemeral range. */
async function occupy(protocol: 'tcp' | 'udp'): Promise<Occupied> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 8_000);
    const others = await Promise.allSettled([listen.tcp(port), listen.udp(port)]);
    const [tcp, udp] = others.map((result) => (result.status === 'fulfilled' ? result.value : null));
    const [retained, freed] = protocol === 'tcp' ? [tcp, udp] : [udp, tcp];
    await freed?.free();
    if (retained && freed) return retained;
    await retained?.free();
  }
}

export function portConformance(subject: Subject): void {
  describe('ports', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    for (const protocol of ['tcp', 'udp'] as const) {
      it(`names a ${protocol.toUpperCase()} port that another program has before anything is made`, async () => {
        const { port, free } = await occupy(protocol);
        const spec = fixture.spec('echo started', { ports: [{ ip: '127.0.0.1', port }] });
        const error: unknown = await fixture.runtime.create(spec).catch((caught: unknown) => caught);
        expect(error).to.deep.include({
          reason: 'PORT_OCCUPIED',
          message: `port ${port} (${protocol.toUpperCase()}) of 127.0.0.1 is in use on the node by another program`,
          metadata: { ip: '127.0.0.1', port, protocol },
        });
        expect(await fixture.runtime.inspect(spec.serverId)).to.equal(null);
        await free();
        await fixture.runtime.create(spec);
        await fixture.runtime.start(spec.serverId);
      });
    }

    it('names an address that the machine does not have before anything is made', async () => {
      const spec = fixture.spec('echo started', { ports: [{ ip: '203.0.113.9', port: 12_000 }] });
      const error: unknown = await fixture.runtime.create(spec).catch((caught: unknown) => caught);
      expect(error).to.deep.include({
        reason: 'ADDRESS_NOT_ON_NODE',
        message:
          'the node does not have the address 203.0.113.9: behind NAT an allocation has its private address or 0.0.0.0, and the public one as alias',
        metadata: { ip: '203.0.113.9' },
      });
      expect(await fixture.runtime.inspect(spec.serverId)).to.equal(null);
    });

    it('waits for a port that is about to become free', async () => {
      const { port, free } = await occupy('tcp');
      const spec = fixture.spec('echo started', { ports: [{ ip: '127.0.0.1', port }] });
      const created = fixture.runtime.create(spec);
      setTimeout(() => void free(), 300);
      await created;
    });
  });
}
