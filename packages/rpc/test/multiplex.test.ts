import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import {
  Client as GrpcClient,
  type ClientDuplexStream,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import {
  MultiplexRequest,
  type MultiplexResponse,
  MultiplexServiceService,
  type RequestFrame,
} from '@panel/protos/common';
import { type GetNestResponse, Nest, NestServiceService } from '@panel/protos/servers';
import { expect } from 'chai';
import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import {
  connect,
  type ConnectionOptions,
  createActorSigner,
  type GrpcServer,
  type GrpcServerOptions,
  type Handlers,
  serve,
  serviceActor,
  startGrpcServer,
} from '@panel/rpc';
import { deferred, waitUntil } from '@panel/kit/testing';

const signer = createActorSigner(randomBytes(32).toString('hex'));
const log = createLogger({ service: 'test', level: 'silent' });
const getNest = NestServiceService.getNest.path;
const empty = { nest: undefined };

type Nests = Handlers<typeof NestServiceService>;
type RawServerStream = ServerDuplexStream<MultiplexRequest, MultiplexResponse>;
const never = async (): Promise<never> => Promise.reject(new Error('not part of this test'));

describe('multiplexed calls', () => {
  const cleanUps: (() => unknown)[] = [];

  async function start(
    getNestHandler: Nests['getNest'],
    options: Partial<GrpcServerOptions> & { createNest?: Nests['createNest'] } = {},
  ): Promise<GrpcServer> {
    const { createNest = never, ...serverOptions } = options;
    const handlers: Nests = {
      listNests: never,
      getNest: getNestHandler,
      createNest,
      updateNest: never,
      deleteNest: never,
    };
    const services = [serve(NestServiceService, handlers)];
    const server = await startGrpcServer(services, { listen: '127.0.0.1:0', signer, log, ...serverOptions });
    cleanUps.unshift(async () => server.stop(200));
    return server;
  }

  function client(address: string, options: Partial<ConnectionOptions> = {}) {
    const actor = serviceActor('test');
    const connection = connect({ address, signer, actor, transport: 'multiplexed', ...options });
    cleanUps.unshift(() => connection.close());
    return connection.client(NestServiceService);
  }

  /** A peer that writes arbitrary frames. */
  function openRawStream(address: string, token = signer.sign(serviceActor('raw'))) {
    const grpc = new GrpcClient(address, credentials.createInsecure());
    cleanUps.unshift(() => grpc.close());
    const metadata = new Metadata();
    metadata.set('panel-actor', token);
    const { path, requestSerialize, responseDeserialize } = MultiplexServiceService.multiplex;
    const stream: ClientDuplexStream<MultiplexRequest, MultiplexResponse> = grpc.makeBidiStreamRequest(
      path,
      (message: MultiplexRequest | Buffer) => (Buffer.isBuffer(message) ? message : requestSerialize(message)),
      responseDeserialize,
      metadata,
    );
    const ended = deferred<ServiceError>();
    stream.on('error', (error: ServiceError) => ended.resolve(error));
    return { stream, ended: ended.promise };
  }

  function frame(id: number, fields: { method?: string; actor?: string; timeoutMs?: number } = {}): RequestFrame {
    const value = {
      method: getNest,
      payload: Buffer.from(NestServiceService.getNest.requestSerialize({ nestId: `n${id}` })),
      timeoutMs: 5_000,
      actor: signer.sign(serviceActor('raw')),
      requestId: '',
      idempotencyId: '',
      traceparent: '',
      tracestate: '',
      ...fields,
    };
    return { id, content: { $case: 'call', value } };
  }

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  });

  async function failureOf(promise: Promise<unknown>): Promise<AppError> {
    const error = await promise.then(
      () => new Error('it did not fail'),
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(AppError);
    return error as AppError;
  }

  it('answers 10,000 concurrent calls, each with its own response', async () => {
    const server = await start(async ({ nestId }) => nestNamed(nestId));
    const nests = client(server.address);
    const wanted = Array.from({ length: 10_000 }, (_, index) => `nest ${index}`);
    const answers = await Promise.all(wanted.map(async (nestId) => nests.getNest({ nestId })));
    expect(answers.map(({ nest }) => nest?.id)).to.deep.equal(wanted);
  });

  it('delays no call by a slow handler', async () => {
    const release = deferred();
    const server = await start(async ({ nestId }) => {
      if (nestId === 'slow') await release.promise;
      return nestNamed(nestId);
    });
    const nests = client(server.address);
    let isSlowDone = false;
    const slow = nests.getNest({ nestId: 'slow' }).then(() => (isSlowDone = true));
    for (let index = 0; index < 50; index++) await nests.getNest({ nestId: `${index}` });
    expect(isSlowDone).to.equal(false);
    release.resolve();
    await slow;
  });

  it('carries requests and responses up to 4 MiB and refuses larger responses', async () => {
    const server = await start(async ({ nestId }) => nestNamed('x'.repeat(Number(nestId))), {
      createNest: async ({ description }) => nestNamed(`${description.length}`),
    });
    const nests = client(server.address);
    expect((await nests.getNest({ nestId: '3000000' })).nest?.id).to.have.length(3_000_000);
    const { nest } = await nests.createNest({ name: '', description: 'y'.repeat(3_000_000), author: '' });
    expect(nest?.id).to.equal('3000000');
    expect((await failureOf(nests.getNest({ nestId: '5000000' }))).kind).to.equal('resource_exhausted');
    expect((await nests.getNest({ nestId: '10' })).nest?.id).to.equal('xxxxxxxxxx');
  });

  it('uses one stream for any number of calls', async () => {
    let streams = 0;
    const server = new Server();
    const multiplex = (stream: RawServerStream) => (streams++, answerAll(stream));
    server.addService(MultiplexServiceService, { multiplex });
    const nests = client(await bind(server));
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 100 }, async () => nests.getNest({ nestId: 'n' })));
    }
    expect(streams).to.equal(1);
  });

  it('reports when too many calls are in progress', async () => {
    const release = deferred();
    const server = await start(async () => (await release.promise, empty));
    const nests = client(server.address);
    const calls = Array.from({ length: 16_384 }, async () => nests.getNest({ nestId: 'n' }));
    const refused = await failureOf(nests.createNest({ name: '', description: '', author: '' }));
    expect(refused).to.deep.include({ kind: 'unavailable', reason: 'TOO_MANY_CALLS' });
    release.resolve();
    await Promise.all(calls);
  });

  it('refuses calls without a valid actor', async () => {
    const server = await start(async () => empty);
    for (const token of ['', 'x', createActorSigner(randomBytes(32).toString('hex')).sign(serviceActor('x'))]) {
      const { stream, ended } = openRawStream(server.address, token);
      stream.write({ frames: [frame(1)] });
      expect((await ended).code).to.equal(status.UNAUTHENTICATED);
    }
  });

  it('reports a wrong secret to every caller', async () => {
    const server = await start(async () => empty);
    const nests = client(server.address, { signer: createActorSigner(randomBytes(32).toString('hex')) });
    expect((await failureOf(nests.getNest({ nestId: 'n' }))).reason).to.equal('ACTOR_INVALID');
  });

  it('keeps the actor of each call', async () => {
    const seen: string[] = [];
    const server = await start(async (_request, { actor }) => (seen.push(JSON.stringify(actor)), empty));
    const nests = client(server.address);
    const actors = ['a', 'b', 'c'].map((userId) => ({
      kind: 'user' as const,
      userId,
      permissions: [],
      method: 'session' as const,
      credentialId: 's',
      ip: '192.0.2.1',
    }));
    for (const actor of actors) await nests.getNest({ nestId: 'n' }, { actorToken: signer.sign(actor) });
    expect(seen.map((actor) => JSON.parse(actor))).to.deep.equal(actors);
    const forged = createActorSigner(randomBytes(32).toString('hex')).sign(actors[0] ?? serviceActor('x'));
    expect((await failureOf(nests.getNest({ nestId: 'n' }, { actorToken: forged }))).reason).to.equal('ACTOR_INVALID');
    expect(seen).to.have.length(3);
  });

  it('retries reads at another server when a server dies', async () => {
    const arrived = deferred();
    const first = await start(async () => (arrived.resolve(), await new Promise<never>(() => undefined)));
    const nests = client(first.address);
    const reading = nests.getNest({ nestId: 'n' });
    await arrived.promise;
    await first.stop(0);
    await start(async () => empty, { listen: first.address });
    expect(await reading).to.have.property('nest');
  });

  it('retries no change that arrived before the server died', async () => {
    let created = 0;
    const arrived = deferred();
    const createNest = async () => (created++, arrived.resolve(), await new Promise<never>(() => undefined));
    const first = await start(never, { createNest });
    const call = failureOf(client(first.address).createNest({ name: '', description: '', author: '' }));
    await arrived.promise;
    await first.stop(0);
    await start(never, { listen: first.address, createNest: async () => (created++, empty) });
    expect((await call).kind).to.equal('unavailable');
    expect(created).to.equal(1);
  });

  it('completes calls when their server stops, while new calls go to another', async () => {
    const release = deferred();
    const arrived = deferred();
    const first = await start(async ({ nestId }) => {
      if (nestId === 'slow') arrived.resolve();
      if (nestId === 'slow') await release.promise;
      return nestNamed('first');
    });
    const second = await start(async () => nestNamed('second'), { createNest: async () => nestNamed('second') });
    const nests = client(allOf(first, second));
    const answerer = async (nestId: string) => (await nests.getNest({ nestId })).nest?.id;
    const seen = new Set<string | undefined>();
    await waitUntil('both to be found', async () => seen.add(await answerer('fast')).size === 2);
    const begun = [answerer('slow'), answerer('slow')];
    await arrived.promise;
    const stopped = first.stop(5_000);
    for (let index = 0; index < 20; index++) {
      expect((await nests.createNest({ name: '', description: '', author: '' })).nest?.id).to.equal('second');
    }
    release.resolve();
    expect(await Promise.all(begun)).to.include('first');
    await stopped;
  });

  it('spreads calls evenly over all replicas of a name', async () => {
    const counts = [0, 0, 0];
    const servers = await Promise.all(
      counts.map(async (_, index) => start(async () => ((counts[index] = (counts[index] ?? 0) + 1), empty))),
    );
    const nests = client(allOf(...servers));
    await waitUntil('all replicas to be found', async () => {
      await nests.getNest({ nestId: 'n' });
      return counts.every((count) => count > 0);
    });
    counts.fill(0);
    for (let index = 0; index < 300; index++) await nests.getNest({ nestId: 'n' });
    for (const count of counts) expect(count).to.be.within(90, 110);
  });

  it('ends calls at their deadline while the connection is being established', async () => {
    const server = new Server();
    server.addService(MultiplexServiceService, { multiplex: () => undefined });
    const nests = client(await bind(server));
    const begin = performance.now();
    const error = await failureOf(nests.createNest({ name: '', description: '', author: '' }, { timeoutMs: 200 }));
    expect(error).to.deep.include({ kind: 'deadline_exceeded', reason: 'DEADLINE_EXCEEDED' });
    expect(performance.now() - begin).to.be.below(5_000);
  });

  it('sends no call whose caller cancels before the connection is ready', async () => {
    let calls = 0;
    const createNest = async () => (calls++, empty);
    const probe = await start(async () => empty);
    const { address } = probe;
    await probe.stop(0);
    const nests = client(address);
    const abort = new AbortController();
    const given = failureOf(nests.createNest({ name: '', description: '', author: '' }, { signal: abort.signal }));
    abort.abort(new AppError('cancelled', 'TEST', 'enough'));
    expect((await given).kind).to.equal('cancelled');
    await start(async () => empty, { listen: address, createNest });
    await nests.getNest({ nestId: 'n' });
    expect(calls).to.equal(0);
  });

  describe('malicious client', () => {
    const attacks: [string, (stream: ClientDuplexStream<MultiplexRequest, MultiplexResponse>) => void, number[]][] = [
      [
        'a frame without content',
        (stream) => stream.write({ frames: [{ id: 1, content: undefined }] }),
        [status.INVALID_ARGUMENT],
      ],
      ['call number zero', (stream) => stream.write({ frames: [frame(0)] }), [status.INVALID_ARGUMENT]],
      ['a call number twice', (stream) => stream.write({ frames: [frame(7), frame(7)] }), [status.INVALID_ARGUMENT]],
      ['call numbers that fall', (stream) => stream.write({ frames: [frame(7), frame(3)] }), [status.INVALID_ARGUMENT]],
      [
        'bytes that are no message',
        (stream) => stream.write(Buffer.from('ff'.repeat(100), 'hex') as never),
        [status.INTERNAL, status.INVALID_ARGUMENT],
      ],
      [
        'a message of five megabytes',
        (stream) => stream.write({ frames: [frame(1, { actor: 'x'.repeat(5_000_000) })] }),
        [status.RESOURCE_EXHAUSTED],
      ],
      [
        'a flood of calls',
        (stream) => {
          for (let id = 1; id <= 400; id++) stream.write({ frames: [frame(id, { timeoutMs: 60_000 })] });
        },
        [status.RESOURCE_EXHAUSTED],
      ],
      [
        'a flood of calls that are cancelled at once',
        (stream) => {
          for (let id = 1; id <= 400; id++)
            stream.write({ frames: [frame(id), { id, content: { $case: 'cancel', value: {} } }] });
        },
        [status.RESOURCE_EXHAUSTED],
      ],
    ];

    for (const [name, attack, codes] of attacks) {
      it(`closes the stream of a malicious client after ${name}, without affecting others`, async () => {
        const hanging = new Set<AbortSignal>();
        const server = await start(
          async ({ nestId }, { signal }) => {
            if (nestId === 'good') return empty;
            hanging.add(signal);
            return new Promise<never>(() => undefined);
          },
          { multiplexLimits: { maxCalls: 100, maxUnreadBytes: 1_000_000 } },
        );
        const good = client(server.address);
        await good.getNest({ nestId: 'good' });
        const { stream, ended } = openRawStream(server.address);
        attack(stream);
        expect((await ended).code).to.be.oneOf(codes);
        await waitUntil('its calls to be aborted', () => [...hanging].every(({ aborted }) => aborted));
        expect(hanging.size).to.be.at.most(100);
        expect(await good.getNest({ nestId: 'good' })).to.deep.equal(empty);
      });
    }

    it('receives the status of native calls for unknown and streaming methods and unknown cancels', async () => {
      const server = await start(async () => empty);
      const { stream } = openRawStream(server.address);
      const answers = deferred<MultiplexResponse>();
      stream.on('data', (message: MultiplexResponse) => answers.resolve(message));
      stream.write({
        frames: [
          { id: 99, content: { $case: 'cancel', value: {} } },
          frame(1, { method: '/panel.servers.v1.NestService/Nothing' }),
          frame(2, { method: '/panel.common.v1.MultiplexService/Multiplex' }),
          frame(3, { method: '__proto__' }),
        ],
      });
      const failures = (await answers.promise).frames.map(
        ({ content }) => content?.$case === 'failure' && content.value,
      );
      expect(failures.map((failure) => failure && failure.status)).to.deep.equal([12, 12, 12]);
      stream.cancel();
    });

    it('buffers up to a bound for a client that does not read', async () => {
      const server = await start(async () => nestNamed('x'.repeat(100_000)), {
        multiplexLimits: { maxCalls: 10_000, maxUnreadBytes: 5_000_000 },
      });
      const { stream, ended } = openRawStream(server.address);
      stream.pause();
      let id = 0;
      const feed = setInterval(() => {
        for (let count = 0; count < 20; count++) stream.write({ frames: [frame(++id)] });
      }, 5);
      // A paused reader sees the end only after a resume.
      await waitUntil('the server to cut it off', () => id > 2_000, 15_000);
      clearInterval(feed);
      stream.resume();
      expect((await ended).code).to.equal(status.RESOURCE_EXHAUSTED);
    });

    it('survives a client that disconnects midway', async () => {
      const server = await start(async () => new Promise<never>(() => undefined));
      const session = connectHttp2(`http://${server.address}`);
      await once(session, 'connect');
      const request = session.request({
        ':method': 'POST',
        ':path': MultiplexServiceService.multiplex.path,
        'content-type': 'application/grpc',
        te: 'trailers',
        'panel-actor': signer.sign(serviceActor('raw')),
      });
      request.on('error', () => undefined);
      const body = messageBytes([frame(1), frame(2)]);
      request.write(body.subarray(0, 40));
      request.write(body.subarray(40));
      await once(request, 'response');
      session.destroy();
      const other = await start(async () => empty);
      expect(await client(other.address).getNest({ nestId: 'n' })).to.deep.equal(empty);
    });
  });

  describe('malicious server', () => {
    const answersOf = (frames: MultiplexResponse['frames']) => (stream: RawServerStream) => {
      stream.sendMetadata(new Metadata());
      stream.on('data', () => stream.write({ frames }));
    };
    const attacks: [string, (stream: RawServerStream) => void][] = [
      ['answers calls nobody made', answersOf([{ id: 4_000, content: { $case: 'payload', value: Buffer.alloc(0) } }])],
      ['sends frames without content', answersOf([{ id: 1, content: undefined }])],
      [
        'answers with bytes that are no message',
        answersOf([{ id: 1, content: { $case: 'payload', value: Buffer.from('ffffff', 'hex') } }]),
      ],
      [
        'fails with detail that is no JSON',
        answersOf([
          { id: 1, content: { $case: 'failure', value: { status: 13, message: 'm', detail: Buffer.from('{') } } },
        ]),
      ],
      ['ends the stream', (stream) => (stream.sendMetadata(new Metadata()), stream.on('data', () => stream.end()))],
    ];
    for (const [name, multiplex] of attacks) {
      it(`fails the call when it ${name}`, async () => {
        const server = new Server();
        server.addService(MultiplexServiceService, { multiplex });
        const nests = client(await bind(server));
        const error = await failureOf(
          nests.createNest({ name: '', description: '', author: '' }, { timeoutMs: 10_000 }),
        );
        expect(error.kind).to.be.oneOf(['internal', 'unavailable']);
      });
    }
  });

  async function bind(server: Server): Promise<string> {
    cleanUps.push(() => server.forceShutdown());
    return new Promise((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(`127.0.0.1:${port}`),
      );
    });
  }
});

function nestNamed(id: string): GetNestResponse {
  return { nest: Nest.create({ id }) };
}

function allOf(...servers: readonly GrpcServer[]): string {
  return `ipv4:${servers.map(({ address }) => address).join(',')}`;
}

function answerAll(stream: RawServerStream): void {
  stream.sendMetadata(new Metadata());
  stream.on('data', ({ frames }: MultiplexRequest) => {
    stream.write({ frames: frames.map(({ id }) => ({ id, content: { $case: 'payload', value: Buffer.alloc(0) } })) });
  });
  stream.on('end', () => stream.end());
}

/** One gRPC message: uncompressed flag, length, bytes. */
function messageBytes(frames: RequestFrame[]): Buffer {
  const message = MultiplexRequest.encode({ frames }).finish();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
