import { promises as dns } from 'node:dns';
import { expect } from 'chai';
import { createAddressGuard } from '@panel/kit/net';
import { createLogger } from '@panel/kit/process';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { NestServiceService } from '@panel/protos/servers';
import {
  connect,
  type Connection,
  createActorSigner,
  type GrpcServer,
  type Handlers,
  serve,
  serviceActor,
  startGrpcServer,
} from '../src/index.js';

const signer = createActorSigner('test-only-secret-of-at-least-32-characters');
const log = createLogger({ service: 'test', level: 'silent' });

const lookup = dns.lookup;
/** Addresses of rebind.example. */
let answer: string[];

function fakeLookUps(): void {
  const faked = async (host: string, options: object) =>
    host === 'rebind.example' ? answer.map((address) => ({ address, family: 4 })) : lookup(host, options);
  before(() => void Object.assign(dns, { lookup: faked }));
  after(() => void Object.assign(dns, { lookup }));
}

describe('a guarded connection', () => {
  fakeLookUps();
  const open: Connection[] = [];
  let server: GrpcServer;
  let port: string;

  const start = async () => {
    const listNests = async () => ({ nests: [], page: undefined });
    const handlers = Object.fromEntries(Object.keys(NestServiceService).map((name) => [name, listNests]));
    return startGrpcServer([serve(NestServiceService, handlers as unknown as Handlers<typeof NestServiceService>)], {
      listen: '127.0.0.1:0',
      signer,
      log,
    });
  };
  before(async () => {
    server = await start();
    port = server.address.split(':')[1] ?? '';
  });
  after(async () => server.stop(0));
  afterEach(() => {
    for (const connection of open.splice(0)) connection.close();
  });

  function nests(address: string, guard = createAddressGuard('deny').isAllowed) {
    const connection = connect({
      address,
      signer,
      actor: serviceActor('test'),
      transport: 'multiplexed',
      guard: { isAllowed: guard },
    });
    open.push(connection);
    return connection.client(NestServiceService);
  }
  const call = async (client: ReturnType<typeof nests>) =>
    reasonOf(client.listNests({ page: undefined }, { timeoutMs: 10_000 }));

  it('reaches no address that the guard refuses, written or resolved', async () => {
    answer = ['127.0.0.1'];
    for (const host of ['127.0.0.1', 'localhost', 'dns:///localhost', 'rebind.example'])
      expect(await call(nests(`${host}:${port}`)), host).to.equal('SERVICE_UNAVAILABLE');
  });

  it('reaches what the guard allows', async () => {
    answer = ['127.0.0.1'];
    const { isAllowed } = createAddressGuard('loopback');
    for (const host of ['127.0.0.1', 'dns:///rebind.example'])
      expect(await call(nests(`${host}:${port}`, isAllowed)), host).to.equal('none');
  });

  it('refuses a name that has led elsewhere when it was checked', async () => {
    const guard = createAddressGuard('deny');
    answer = ['192.0.2.1'];
    await guard.assertHost('rebind.example');
    answer = ['192.0.2.1', '127.0.0.1'];
    expect(await call(nests(`rebind.example:${port}`, guard.isAllowed))).to.equal('SERVICE_UNAVAILABLE');
  });
});

describe('a connection to a name', () => {
  fakeLookUps();
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  });

  async function startReplica(listen: string, onCall: () => void): Promise<string> {
    const createNest = async () => {
      onCall();
      return { nest: undefined };
    };
    const handlers = Object.fromEntries(Object.keys(NestServiceService).map((name) => [name, createNest]));
    const services = [serve(NestServiceService, handlers as unknown as Handlers<typeof NestServiceService>)];
    const server = await startGrpcServer(services, { listen, signer, log });
    cleanUps.push(async () => server.stop(0));
    return server.address;
  }

  for (const transport of ['multiplexed', 'native'] as const) {
    it(`gives replicas that are added their share, and fails no call meanwhile (${transport})`, async () => {
      let later = 0;
      const first = await startReplica('127.0.0.1:0', () => undefined);
      answer = ['127.0.0.1'];
      const port = first.split(':')[1] ?? '';
      const address = `rebind.example:${port}`;
      const connection = connect({ address, signer, actor: serviceActor('test'), transport, lookUpEveryMs: 100 });
      cleanUps.unshift(() => connection.close());
      const client = connection.client(NestServiceService);
      // The client does not repeat creations.
      const callMany = async () =>
        Promise.all(
          Array.from({ length: 20 }, async () => client.createNest({ name: '', description: '', author: '' })),
        );
      await callMany();
      await startReplica(`127.0.0.2:${port}`, () => (later += 1));
      answer = ['127.0.0.1', '127.0.0.2'];
      await waitUntil('calls to the second replica', async () => {
        await callMany();
        return later >= 200;
      });
    });
  }

  it('leaves replicas that are gone from its name', async () => {
    let earlier = 0;
    const address = await startReplica('127.0.0.1:0', () => (earlier += 1));
    const port = address.split(':')[1] ?? '';
    await startReplica(`127.0.0.2:${port}`, () => undefined);
    answer = ['127.0.0.1', '127.0.0.2'];
    const connection = connect({
      address: `rebind.example:${port}`,
      signer,
      actor: serviceActor('test'),
      transport: 'native',
      lookUpEveryMs: 100,
    });
    cleanUps.unshift(() => connection.close());
    const client = connection.client(NestServiceService);
    await waitUntil('a call to the first replica', async () => {
      await client.createNest({ name: '', description: '', author: '' });
      return earlier > 0;
    });
    answer = ['127.0.0.2'];
    await waitUntil('no call to the replica that is gone', async () => {
      earlier = 0;
      for (let call = 0; call < 20; call++) await client.createNest({ name: '', description: '', author: '' });
      return earlier === 0;
    });
  });
});
