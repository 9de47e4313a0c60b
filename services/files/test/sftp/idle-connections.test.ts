import { once } from 'node:events';
import { createLogger, createTaskGroup } from '@panel/kit/process';
import { ManualClock, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import type { FilesContext } from '../../src/context.js';
import type { SftpLogin } from '../../src/sftp/authority.js';
import { ChangePaces } from '../../src/sftp/change-paces.js';
import { ConnectionCounts } from '../../src/sftp/connection-limits.js';
import { HandlePlaces } from '../../src/sftp/handle-places.js';
import { createSftpMetrics } from '../../src/sftp/metrics.js';
import { requestTypes } from '../../src/sftp/protocol.js';
import { SftpServer } from '../../src/sftp/server.js';
import { generateUsableKeys } from './fixture.js';

const minuteMs = 60_000;
const idleMs = 15 * minuteMs;

/** With a number: a version or a request id. */
function packet(type: number, number: number, rest = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt32BE(5 + rest.length);
  head.writeUInt8(type, 4);
  head.writeUInt32BE(number, 5);
  return Buffer.concat([head, rest]);
}

describe('SFTP connections without a request', () => {
  let clock: ManualClock;
  let server: SftpServer;
  let client: Client;
  let hasEnded: boolean;

  beforeEach(async () => {
    clock = new ManualClock();
    hasEnded = false;
    const log = createLogger({ service: 'test', level: 'silent' });
    const login = { access: { userId: 'user', grant: { serverId: 'server' }, permissions: [] } };
    server = new SftpServer(
      {
        context: { volumes: { identify: async () => ({}) } } as unknown as FilesContext,
        authority: {
          isKnownKey: async () => false,
          logIn: async () => login as unknown as SftpLogin,
          recheck: async (known) => known,
        },
        activity: { activity: { recordOngoing: async () => true }, clock: () => new Date() },
        counts: new ConnectionCounts(),
        handlePlaces: new HandlePlaces(),
        changePaces: new ChangePaces(),
        metrics: createSftpMetrics(new Registry()),
        tasks: createTaskGroup(log),
        log,
        recheckMs: minuteMs,
        idleMs,
        monotonicClock: clock,
      },
      generateUsableKeys().private,
    );
    const [, port] = (await server.listen('127.0.0.1:0')).split(':');
    client = new ssh2.Client();
    client.once('close', () => (hasEnded = true));
    client.connect({ host: '127.0.0.1', port: Number(port), username: 'alex.12345678', password: 'any' });
    await once(client, 'ready');
  });
  afterEach(async () => {
    client.destroy();
    await server.stop();
  });

  const openChannel = async (): Promise<ClientChannel> => {
    const channel = await new Promise<ClientChannel>((resolve, reject) =>
      client.subsys('sftp', (error, opened) => (error ? reject(error) : resolve(opened))),
    );
    await ask(channel, packet(requestTypes.init, 3));
    return channel;
  };
  const ask = async (channel: ClientChannel, request: Buffer) => {
    const answered = once(channel, 'data');
    channel.write(request);
    await answered;
  };
  /** As keepalives are: of the connection, not of SFTP. */
  const askConnection = async () => new Promise<void>((resolve) => client.forwardIn('127.0.0.1', 0, () => resolve()));

  it('ends one after 15 minutes and says why, once', async () => {
    const channel = await openChannel();
    let errors = '';
    channel.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    await clock.advance(idleMs);
    await waitUntil('the connection to end', () => hasEnded);
    expect(errors).to.equal('The connection ended after 15 minutes without a request.\n');
  });

  it('ends one that opened no channel', async () => {
    await clock.advance(idleMs);
    await waitUntil('the connection to end', () => hasEnded);
  });

  it('keeps one that sends requests', async () => {
    const channel = await openChannel();
    for (let request = 1; request <= 3; request += 1) {
      await clock.advance(idleMs - 1);
      await ask(channel, packet(requestTypes.realpath, request, Buffer.from([0, 0, 0, 1, 0x2f])));
    }
    expect(hasEnded).to.equal(false);
    await clock.advance(idleMs);
    await waitUntil('the connection to end', () => hasEnded);
  });

  it('counts no keepalive as a request', async () => {
    await openChannel();
    await clock.advance(idleMs - 1);
    await askConnection();
    expect(hasEnded).to.equal(false);
    await clock.advance(1);
    await waitUntil('the connection to end', () => hasEnded);
  });
});
