import { promises as dns } from 'node:dns';
import { expect } from 'chai';
import { createAddressGuard, createLogger } from '@panel/kit';
import { reasonOf } from '@panel/kit/testing';
import { NestServiceService } from '@panel/protos/servers';
import { protoFiles, protoRoot } from '@panel/protos/source';
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

describe('a guarded connection', () => {
  const open: Connection[] = [];
  const lookup = dns.lookup;
  /** What the name rebind.example resolves to. */
  let answer: string[];
  let server: GrpcServer;
  let port: string;

  const start = async () => {
    const listNests = async () => ({ nests: [], page: undefined });
    const handlers = Object.fromEntries(Object.keys(NestServiceService).map((name) => [name, listNests]));
    return startGrpcServer([serve(NestServiceService, handlers as unknown as Handlers<typeof NestServiceService>)], {
      listen: '127.0.0.1:0',
      signer,
      log,
      reflection: { root: protoRoot, files: protoFiles.servers },
    });
  };
  before(async () => {
    server = await start();
    port = server.address.split(':')[1] ?? '';
    const faked = async (host: string, options: object) =>
      host === 'rebind.example' ? answer.map((address) => ({ address, family: 4 })) : lookup(host, options);
    Object.assign(dns, { lookup: faked });
  });
  after(async () => {
    Object.assign(dns, { lookup });
    await server.stop(0);
  });
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
    reasonOf(client.listNests({ page: undefined }, { timeoutMs: 2_000 }));

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
