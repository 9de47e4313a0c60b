import { randomBytes } from 'node:crypto';
import { type GetNestResponse, Nest, NestServiceService } from '@panel/protos/servers';
import { expect } from 'chai';
import {
  connect,
  createActorSigner,
  type GrpcServer,
  type Handlers,
  serve,
  serviceActor,
  startGrpcServer,
  unchanging,
} from '@panel/rpc';
import { createLogger } from '@panel/kit';

const signer = createActorSigner(randomBytes(32).toString('hex'));
const log = createLogger({ service: 'test', level: 'silent' });
const never = async (): Promise<never> => Promise.reject(new Error('not part of this test'));

describe('answers of an multiplex', () => {
  const cleanUps: (() => unknown)[] = [];

  async function start(getNest: Handlers<typeof NestServiceService>['getNest']): Promise<GrpcServer> {
    const services = [serve(NestServiceService, { listNests: never, getNest, createNest: never })];
    const server = await startGrpcServer(services, { listen: '127.0.0.1:0', signer, log });
    cleanUps.unshift(async () => server.stop(200));
    return server;
  }

  function client({ address }: GrpcServer) {
    const connection = connect({ address, signer, actor: serviceActor('test'), transport: 'multiplexed' });
    cleanUps.unshift(() => connection.close());
    return connection.client(NestServiceService);
  }

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  });

  it('are decoded once for as long as its bytes are the same, for each question and caller on its own', async () => {
    let name = 'one';
    const server = await start(async ({ nestId }, { actor }) => nestNamed(`${name} ${nestId} ${actor.kind}`));
    const nests = client(server);
    const ask = async (nestId: string) => (await nests.getNest({ nestId })).nest;
    const first = await ask('a');
    expect(await ask('a')).to.equal(first);
    expect((await ask('b'))?.id).to.equal('one b service');
    const anonymous = { actorToken: signer.sign({ kind: 'anonymous', ip: '192.0.2.1' }) };
    expect((await nests.getNest({ nestId: 'a' }, anonymous)).nest?.id).to.equal('one a anonymous');
    name = 'two';
    expect((await ask('a'))?.id).to.equal('two a service');
    expect(first?.id).to.equal('one a service');
  });

  it('are kept within a bound', async () => {
    const server = await start(async ({ nestId }) => nestNamed(nestId.padEnd(60_000, '.')));
    const nests = client(server);
    const ask = async (index: number) => (await nests.getNest({ nestId: `${index}` })).nest;
    const first = await ask(0);
    for (let index = 1; index < 40; index++) await ask(index);
    expect(await ask(39)).to.equal(await ask(39));
    expect(await ask(0)).not.to.equal(first);
    expect(await ask(0)).to.deep.equal(first);
  });

  it('are encoded once when they are promised never to change', async () => {
    const answer = unchanging(nestNamed('as it was'));
    const server = await start(async () => answer);
    const nests = client(server);
    for (let round = 0; round < 3; round++) {
      expect((await nests.getNest({ nestId: `${round}` })).nest?.id).to.equal('as it was');
      Object.assign(answer.nest ?? {}, { id: 'never seen' });
    }
  });
});

function nestNamed(id: string): GetNestResponse {
  return { nest: Nest.create({ id }) };
}
