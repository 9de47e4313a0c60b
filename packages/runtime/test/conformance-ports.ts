import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { Fixture, type Subject } from './fixture.js';

interface Occupied {
  readonly port: number;
  readonly free: () => Promise<void>;
}

const occupy = {
  tcp: async (): Promise<Occupied> => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const free = () => new Promise<void>((resolve) => server.close(() => resolve()));
    return { port: (server.address() as AddressInfo).port, free };
  },
  udp: async (): Promise<Occupied> => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('listening', () => resolve()));
    const free = () => new Promise<void>((resolve) => socket.close(() => resolve()));
    return { port: socket.address().port, free };
  },
};

export function portConformance(subject: Subject): void {
  describe('ports', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    for (const protocol of ['tcp', 'udp'] as const) {
      it(`names a ${protocol.toUpperCase()} port that another program has before anything is made`, async () => {
        const { port, free } = await occupy[protocol]();
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

    it('waits for a port that is about to become free', async () => {
      const { port, free } = await occupy.tcp();
      const spec = fixture.spec('echo started', { ports: [{ ip: '127.0.0.1', port }] });
      const created = fixture.runtime.create(spec);
      setTimeout(() => void free(), 300);
      await created;
    });
  });
}
