import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '@panel/kit/process';
import { ManualClock, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { FilesContext } from '../../src/context.js';
import { DirectServer } from '../../src/direct/server.js';
import { createDirectAddresses, directPath } from '../../src/domain/direct-address.js';
import { withHandle } from '../../src/jail/node.js';
import { createTransferMetrics } from '../../src/metrics.js';
import { connectionLimits } from '../../src/sftp/connection-limits.js';
import { TransferPlaces } from '../../src/workspace/transfer-places.js';

const minuteMs = 60_000;
/** More than sockets buffer. */
const sizeBytes = 64 * 1024 * 1024;

describe('readers of direct downloads', () => {
  const addresses = createDirectAddresses('test-only-secret');
  const metrics = createTransferMetrics(new Registry());
  let directory: string;
  let clock: ManualClock;
  let server: DirectServer;
  let address: string;
  let sockets: Socket[];

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-direct-'));
    await writeFile(path.join(directory, 'big'), '');
    await truncate(path.join(directory, 'big'), sizeBytes);
    clock = new ManualClock();
    sockets = [];
    const madeWith = { method: 'session', id: randomUUID() };
    const context = {
      clock: () => new Date(),
      downloadLinks: {
        use: async () => ({ path: '/big', name: 'big', isDirectory: false, madeWith, ip: null }),
        release: async () => undefined,
      },
      volumes: {
        open: async <T>(_volume: string, use: (root: Awaited<ReturnType<typeof open>>) => Promise<T>) =>
          withHandle(await open(directory), use),
      },
      metrics,
    };
    server = await DirectServer.create(
      {
        context: context as unknown as FilesContext,
        addresses,
        authority: {
          grantFor: async ({ serverId, permission }) => ({
            serverId,
            permission,
            volume: `servers/${serverId}`,
            diskLimitBytes: 0,
            denylist: [],
          }),
        },
        limits: connectionLimits,
        downloads: new TransferPlaces({ what: 'files', way: 'downloaded', perServer: 2, perOwner: 2, perNode: 3 }),
        uploads: new TransferPlaces({ what: 'files', way: 'uploaded', perServer: 2, perOwner: 2, perNode: 3 }),
        monotonicClock: clock,
        log: createLogger({ service: 'test', level: 'silent' }),
        metrics: { registry: new Registry() },
      },
      {
        listen: '127.0.0.1:0',
        tls: null,
        origins: [],
        trustedProxies: [],
        identityAddress: '',
        serversAddress: '',
      },
    );
    address = await server.listen();
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const pathFor = (serverId: string) => `/${directPath(addresses, 'downloads', serverId, randomUUID())}`;
  /** Reads no further than what the test asks for. */
  const begin = async (serverId: string): Promise<Socket> => {
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write(`GET ${pathFor(serverId)} HTTP/1.1\r\nHost: node\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  };
  const running = async () => (await metrics.direct.get()).values.find(({ labels }) => labels.kind === 'downloads');

  it('ends a download whose reader stopped, and frees its place', async () => {
    await begin(randomUUID());
    expect((await running())?.value).to.equal(1);
    await waitUntil('the download to end', async () => {
      await clock.advance(minuteMs);
      return (await running())?.value === 0;
    });
    expect(clock.now()).to.be.at.least(5 * minuteMs);
    expect(clock.pending).to.equal(0);
  });

  it('sends the whole file to a reader that keeps up', async () => {
    const response = await fetch(`http://${address}${pathFor(randomUUID())}`);
    expect((await response.arrayBuffer()).byteLength).to.equal(sizeBytes);
  });

  it('refuses further downloads of a server whose places are taken, until one ends', async () => {
    const serverId = randomUUID();
    const [first] = [await begin(serverId), await begin(serverId)];
    const refused = await fetch(`http://${address}${pathFor(serverId)}`);
    const { error } = (await refused.json()) as { readonly error: { readonly details: object } };
    expect(refused.status).to.equal(409);
    expect(error.details).to.deep.equal({ reason: 'operation_limit', limit: 2 });
    const other = await fetch(`http://${address}${pathFor(randomUUID())}`);
    expect(other.status).to.equal(200);
    await other.body?.cancel();
    first?.destroy();
    await waitUntil('the place to be free', async () => (await running())?.value === 1);
    const next = await fetch(`http://${address}${pathFor(serverId)}`);
    expect(next.status).to.equal(200);
    await next.body?.cancel();
  });
});
