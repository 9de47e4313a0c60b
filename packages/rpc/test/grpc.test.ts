import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect as connectTcp, createServer } from 'node:net';
import { Client as GrpcClient, credentials, Metadata, status } from '@grpc/grpc-js';
import { expect } from 'chai';
import { ConsoleServiceService, Nest, NestServiceService, type WatchServerResponse } from '@panel/protos/servers';
import { loadSync } from '@grpc/proto-loader';
import {
  type Actor,
  type CallContext,
  connect,
  createActorSigner,
  type GrpcServer,
  type Handlers,
  presentEach,
  serve,
  serviceActor,
  type ServiceDefinition,
  startGrpcServer,
  type UserActor,
} from '@panel/rpc';
import { AppError, defineReasons, failedCallOf } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { deferred, quickestMs, realTime, waitUntil } from '@panel/kit/testing';

const fail = defineReasons({ NEST_NOT_FOUND: 'not_found', NEST_NAME_TAKEN: 'already_exists' });
const secret = randomBytes(32).toString('hex');
const signer = createActorSigner(secret);
const log = createLogger({ service: 'test', level: 'silent' });
const user: UserActor = {
  kind: 'user',
  userId: 'u1',
  permissions: ['nests.*'],
  method: 'session',
  credentialId: 's1',
  ip: '192.0.2.1',
};

type Nests = Handlers<typeof NestServiceService>;
type Consoles = Handlers<typeof ConsoleServiceService>;
const never = async (): Promise<never> => Promise.reject(new Error('not part of this test'));

function handlersOf<S extends ServiceDefinition>(definition: S, given: Partial<Handlers<S>>): Handlers<S> {
  const missing = Object.fromEntries(Object.keys(definition).map((name) => [name, never]));
  return { ...missing, ...given } as Handlers<S>;
}

for (const transport of ['native', 'multiplexed'] as const) {
  describe(`gRPC server and client, ${transport} calls`, () => {
    const started: { stop(graceMs: number): Promise<void> }[] = [];
    const connections: { close(): void }[] = [];

    async function start(
      handlers: Partial<Nests>,
      watch: Consoles['watchServer'] = () => neverEnding(),
    ): Promise<GrpcServer> {
      const server = await startGrpcServer(
        [
          serve(NestServiceService, handlersOf(NestServiceService, handlers)),
          serve(ConsoleServiceService, handlersOf(ConsoleServiceService, { watchServer: watch })),
        ],
        { listen: '127.0.0.1:0', signer, log, hasReflection: true },
      );
      started.push(server);
      return server;
    }

    function client(server: { address: string }, options: { signer?: typeof signer; timeoutMs?: number } = {}) {
      const connection = connect({
        address: server.address,
        signer,
        actor: serviceActor('test'),
        transport,
        ...options,
      });
      connections.push(connection);
      return { nests: connection.client(NestServiceService), consoles: connection.client(ConsoleServiceService) };
    }

    afterEach(async () => {
      for (const connection of connections.splice(0)) connection.close();
      for (const server of started.splice(0)) await server.stop(1000);
    });

    async function failureOf(promise: Promise<unknown>): Promise<AppError> {
      const error = await promise.then(
        () => new Error('it did not fail'),
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(AppError);
      return error as AppError;
    }

    it('carries an AppError from the handler to the client with reason, kind and metadata', async () => {
      const server = await start({
        getNest: async (request) =>
          Promise.reject(fail('NEST_NOT_FOUND', 'no such nest – ü', { nestId: request.nestId })),
      });
      const error = await failureOf(client(server).nests.getNest({ nestId: 'n1' }));
      expect(error).to.deep.include({ kind: 'not_found', reason: 'NEST_NOT_FOUND', message: 'no such nest – ü' });
      expect(error.metadata).to.deep.equal({ nestId: 'n1' });
    });

    it('reveals nothing of an unknown error', async () => {
      const server = await start({ getNest: async () => Promise.reject(new Error('password=hunter2')) });
      const error = await failureOf(client(server).nests.getNest({ nestId: 'n1' }));
      expect(error).to.deep.include({ kind: 'internal', reason: 'INTERNAL' });
      expect(JSON.stringify([error.message, error.metadata])).not.to.contain('hunter2');
    });

    it('lists every item but the ones that cannot be presented or encoded', async () => {
      const records = [{ id: 'whole' }, { id: 'unreadable' }, { id: 'unencodable' }];
      const present = ({ id }: { id: string }) => {
        if (id === 'unreadable') throw new TypeError('a field is missing');
        return Nest.create({ id, eggsCount: id === 'unencodable' ? 0.5 : 1 });
      };
      const server = await start({
        listNests: async (_request, call) => ({ nests: presentEach(call, records, present, Nest), page: undefined }),
      });
      const { nests } = await client(server).nests.listNests({ page: undefined });
      expect(nests.map(({ id }) => id)).to.deep.equal(['whole']);
    });

    it('replaces a damaged item of a list where there is a replacement', async () => {
      const present = (): Nest => {
        throw new TypeError('a field is missing');
      };
      const damaged = ({ id }: { id: string }) => Nest.create({ id, name: 'damaged' });
      const server = await start({
        listNests: async (_request, call) => ({
          nests: presentEach(call, [{ id: 'n1' }], present, Nest, damaged),
          page: undefined,
        }),
      });
      const { nests } = await client(server).nests.listNests({ page: undefined });
      expect(nests).to.deep.equal([damaged({ id: 'n1' })]);
    });

    it('keeps the reason when the metadata is too large to send', async () => {
      const server = await start({
        getNest: async () => Promise.reject(fail('NEST_NAME_TAKEN', 'taken', { names: 'x'.repeat(20_000) })),
      });
      const error = await failureOf(client(server).nests.getNest({ nestId: 'n1' }));
      expect(error.reason).to.equal('NEST_NAME_TAKEN');
    });

    it('passes the signed actor, the request id and the trace to the handler and to the next service', async () => {
      const seen: CallContext[] = [];
      const answer = { nest: undefined };
      const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=1' };
      const inner = await start({ getNest: async (_request, context) => (seen.push(context), answer) });
      const innerClient = client(inner).nests;
      const outer = await start({
        getNest: async (request, context) => (seen.push(context), innerClient.getNest(request, { parent: context })),
      });
      await client(outer).nests.getNest({ nestId: 'n' }, { actorToken: signer.sign(user), requestId: 'r-1', trace });
      expect(seen.map((context) => context.actor)).to.deep.equal([user, user]);
      expect(seen.map((context) => context.requestId)).to.deep.equal(['r-1', 'r-1']);
      expect(seen.map((context) => context.trace)).to.deep.equal([trace, trace]);
      expect(seen[1]?.deadline?.getTime()).to.be.at.most(seen[0]?.deadline?.getTime() ?? 0);
    });

    it('binds an idempotency id to the actor and refuses a malformed one', async () => {
      const seen: CallContext[] = [];
      const server = await start({
        createNest: async (_request, context) => (seen.push(context), { nest: undefined }),
      });
      const request = { name: 'n', description: '', author: '' };
      const idempotencyId = '0a1b2c3d-0000-4000-8000-000000000001';
      const ask = async (actor: Actor, id: string | undefined) => {
        await client(server).nests.createNest(request, { idempotencyId: id, actorToken: signer.sign(actor) });
        return seen.at(-1);
      };
      const first = await ask(user, idempotencyId);
      expect(first?.idempotencyId).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const others: Actor[] = [
        { ...user, userId: 'somebody else' },
        { ...user, method: user.method === 'session' ? 'api_key' : 'session' },
        serviceActor('u'),
      ];
      const ids = [first?.idempotencyId, idempotencyId];
      for (const actor of others) ids.push((await ask(actor, idempotencyId))?.idempotencyId);
      expect(new Set(ids).size).to.equal(ids.length);
      const again = await ask({ ...user, permissions: [], ip: '192.0.2.9' }, idempotencyId);
      expect([again?.idempotencyId, again?.idempotencySeed]).to.deep.equal([
        first?.idempotencyId,
        first?.idempotencySeed,
      ]);
      for (const [actor, id] of [
        [user, undefined],
        [user, 'not-an-id'],
        [{ kind: 'anonymous', ip: '192.0.2.1' }, idempotencyId],
      ] as const) {
        const without = await ask(actor, id);
        expect([without?.idempotencyId, without?.idempotencySeed]).to.deep.equal([undefined, undefined]);
      }
    });

    it('refuses calls without an actor, with a forged and with a modified one', async () => {
      const server = await start({ getNest: async () => ({ nest: undefined }) });
      const forged = createActorSigner(randomBytes(32).toString('hex')).sign(user);
      const [head, , tail] = signer.sign(user).split('.');
      const payload = Buffer.from(JSON.stringify({ typ: 'actor', actor: serviceActor('x'), aud: 'panel-internal' }));
      for (const actorToken of ['', 'x', forged, `${head}.${payload.toString('base64url')}.${tail}`]) {
        const error = await failureOf(client(server).nests.getNest({ nestId: 'n' }, { actorToken }));
        expect(error.reason).to.equal('ACTOR_INVALID');
        expect(error.kind).to.equal('unauthenticated');
      }
    });

    it('ends a call at its deadline on both sides', async () => {
      let aborted: unknown;
      const server = await start({
        getNest: async (_request, context) => {
          await once(context.signal, 'abort');
          aborted = context.signal.reason;
          throw context.signal.reason;
        },
      });
      const begin = performance.now();
      const error = await failureOf(client(server).nests.getNest({ nestId: 'n' }, { timeoutMs: 200 }));
      expect(error.kind).to.equal('deadline_exceeded');
      expect(performance.now() - begin).to.be.below(5000);
      await waitUntil('the handler to hear of it', () => aborted !== undefined);
      // The caller, whose deadline begins earlier, cancels what it gives up.
      expect(aborted).to.have.property('reason').that.is.oneOf(['DEADLINE_EXCEEDED', 'CANCELLED']);
    });

    it('gives calls that name no time-out the one of their connection', async () => {
      const deadlines: number[] = [];
      const server = await start({
        getNest: async (_request, { deadline }) => {
          deadlines.push((deadline?.getTime() ?? Infinity) - Date.now());
          return { nest: undefined };
        },
      });
      await client(server, { timeoutMs: 50_000 }).nests.getNest({ nestId: 'n' });
      await client(server, { timeoutMs: 50_000 }).nests.getNest({ nestId: 'n' }, { timeoutMs: 20_000 });
      await client(server).nests.getNest({ nestId: 'n' });
      expect(deadlines.map((ms) => Math.ceil(ms / 10_000))).to.deep.equal([5, 2, 1]);
    });

    it('notifies the handler when the caller cancels', async () => {
      const gone = deferred<unknown>();
      const arrived = deferred();
      const server = await start({
        getNest: async (_request, context) => {
          arrived.resolve();
          await once(context.signal, 'abort');
          gone.resolve(context.signal.reason);
          throw context.signal.reason;
        },
      });
      const abort = new AbortController();
      const call = client(server).nests.getNest({ nestId: 'n' }, { signal: abort.signal });
      const failed = failureOf(call);
      await arrived.promise;
      abort.abort(new AppError('cancelled', 'TEST', 'enough'));
      expect(await gone.promise).to.have.property('kind', 'cancelled');
      expect((await failed).kind).to.equal('cancelled');
    });

    it('answers UNAVAILABLE within two seconds when nothing listens', async () => {
      const call = async () => {
        const nest = { name: 'n', description: '', author: '' };
        const error = await failureOf(client({ address: '127.0.0.1:1' }).nests.createNest(nest));
        expect(error.kind).to.equal('unavailable');
      };
      expect(await quickestMs(call, 3)).to.be.below(2000);
    });

    it('names the failed call and its address for logs, and not in the answer', async () => {
      const { nests, consoles } = client({ address: '127.0.0.1:1' });
      const read = async () => {
        for await (const _ of consoles.watchServer({ serverId: 's', historyLines: 0 }));
      };
      const calls = [nests.getNest({ nestId: 'n' }, { timeoutMs: 200 }), read()];
      const errors = await Promise.all(calls.map(failureOf));
      expect(errors.map(failedCallOf)).to.deep.equal([
        'panel.servers.v1.NestService/GetNest at 127.0.0.1:1',
        'panel.servers.v1.ConsoleService/WatchServer at 127.0.0.1:1',
      ]);
      expect(JSON.stringify(errors.map(({ metadata }) => metadata))).not.to.include('NestService');
    });

    it('times out on a peer that accepts and never answers', async () => {
      const silent = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const bound = silent.address();
      const address = `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
      const error = await failureOf(
        client({ address }).nests.createNest({ name: 'n', description: '', author: '' }, { timeoutMs: 300 }),
      );
      expect(['deadline_exceeded', 'unavailable']).to.include(error.kind);
      silent.close();
    });

    it('tolerates arbitrary bytes on its port', async () => {
      const server = await start({ getNest: async () => ({ nest: undefined }) });
      const port = Number(server.address.split(':')[1]);
      for (const junk of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), randomBytes(4096), Buffer.alloc(0)]) {
        const socket = connectTcp(port, '127.0.0.1');
        socket.on('error', () => socket.destroy());
        socket.resume();
        socket.end(junk);
        await once(socket, 'close');
      }
      expect(await client(server).nests.getNest({ nestId: 'n' })).to.have.property('nest');
    });

    it('streams in order, no faster than the reader reads', async () => {
      let produced = 0;
      const server = await start({}, async function* () {
        for (; produced < 100_000; produced++) yield lineMessage(produced, 'x'.repeat(1000));
      });
      let expected = 0;
      for await (const message of client(server).consoles.watchServer({ serverId: 's', historyLines: 0 })) {
        const event = message.events[0]?.event;
        expect(event?.$case === 'console' && event.value.sequence).to.equal(expected++);
        if (expected === 100) break;
      }
      expect(expected).to.equal(100);
      expect(produced, 'the producer must wait for the reader').to.be.below(90_000);
    });

    it('ends the producer when the reader cancels', async () => {
      const ended = deferred();
      const server = await start({}, async function* (_request, context) {
        try {
          yield lineMessage(1, 'one');
          await once(context.signal, 'abort');
        } finally {
          ended.resolve();
        }
      });
      for await (const message of client(server).consoles.watchServer({ serverId: 's', historyLines: 0 })) {
        expect(message.events).to.have.length(1);
        break;
      }
      await ended.promise;
    });

    it('keeps other streams and calls running beside an unread stream', async () => {
      const text = 'x'.repeat(16_384);
      let written = 0;
      const server = await start({ getNest: async () => ({ nest: undefined }) }, async function* () {
        for (; ; written++) yield lineMessage(written, text);
      });
      const { nests, consoles } = client(server);
      const stalled = Array.from({ length: 4 }, () =>
        consoles.watchServer({ serverId: 's', historyLines: 0 })[Symbol.asyncIterator](),
      );
      for (const stream of stalled) await stream.next();
      for (let before = -1; before !== written;) {
        before = written;
        await realTime(200, 'the unread buffers of TCP fill');
      }
      let read = 0;
      for await (const { events } of consoles.watchServer({ serverId: 's', historyLines: 0 })) {
        read += events.length;
        if (read === 1_000) break;
      }
      expect(await nests.getNest({ nestId: 'n' })).to.have.property('nest');
      for (const stream of stalled) await stream.return?.(undefined);
    }).timeout(15_000);

    it('stops gracefully with open streams and completes a unary call', async () => {
      const release = deferred();
      const arrived = deferred();
      const server = await start(
        { getNest: async () => (arrived.resolve(), await release.promise, { nest: undefined }) },
        () => neverEnding(),
      );
      const { nests: nestClient, consoles: consoleClient } = client(server);
      const stream = consoleClient.watchServer({ serverId: 's', historyLines: 0 })[Symbol.asyncIterator]();
      await stream.next();
      const streamEnd = failureOf(stream.next());
      const unary = nestClient.getNest({ nestId: 'n' });
      await arrived.promise;
      const stopped = server.stop(5000);
      expect((await streamEnd).reason).to.equal('STOPPING');
      release.resolve();
      expect(await unary).to.have.property('nest');
      const begin = performance.now();
      await stopped;
      expect(performance.now() - begin).to.be.below(4500);
    });

    it('cancels a call that exceeds the stop grace', async () => {
      const server = await start({ getNest: async () => new Promise<never>(() => undefined) });
      const call = failureOf(client(server).nests.createNest({ name: '', description: '', author: '' }));
      await call;
      const hanging = failureOf(client(server).nests.getNest({ nestId: 'n' }));
      await new Promise((resolve) => setImmediate(resolve));
      const begin = performance.now();
      await server.stop(200);
      expect(performance.now() - begin).to.be.below(5000);
      expect((await hanging).kind).to.equal('unavailable');
    });

    it('reports health per service and in total', async () => {
      const server = await start({});
      const proto = loadSync('grpc/health/v1/health.proto', { includeDirs: [protoDir], enums: String });
      const health = proto['grpc.health.v1.Health'] as unknown as HealthDefinition;
      const grpc = new GrpcClient(server.address, credentials.createInsecure());
      const check = async (service: string) =>
        new Promise<string>((resolve, reject) =>
          grpc.makeUnaryRequest(
            health.Check.path,
            health.Check.requestSerialize,
            health.Check.responseDeserialize,
            { service },
            new Metadata(),
            (error, value) => (error ? reject(error) : resolve(value?.status ?? '')),
          ),
        );
      expect(await check('')).to.equal('NOT_SERVING');
      server.setReady(true);
      expect(await check('')).to.equal('SERVING');
      expect(await check('panel.servers.v1.NestService')).to.equal('SERVING');
      const unknown = await check('nobody').catch((error: { code: status }) => error.code);
      expect(unknown).to.equal(status.NOT_FOUND);
      grpc.close();
    });

    it('retries a call that was never sent, including changes', async () => {
      const first = await start({});
      const { address } = first;
      const nestClient = client(first).nests;
      await failureOf(nestClient.getNest({ nestId: 'n' }));
      await first.stop(0);
      let calls = 0;
      const created = nestClient.createNest({ name: 'n', description: '', author: '' });
      const second = await startGrpcServer(
        [
          serve(
            NestServiceService,
            handlersOf(NestServiceService, { createNest: async () => (calls++, { nest: undefined }) }),
          ),
        ],
        { listen: address, signer, log },
      );
      started.push(second);
      expect(await created).to.deep.equal({ nest: undefined });
      expect(calls).to.equal(1);
    });

    it('does not retry a change whose own sub-call was not sent', async () => {
      let calls = 0;
      const nowhere = client({ address: '127.0.0.1:1' }).nests;
      const server = await start({
        createNest: async (request, context) => (calls++, nowhere.createNest(request, { parent: context })),
      });
      const error = await failureOf(client(server).nests.createNest({ name: '', description: '', author: '' }));
      expect(error.kind).to.equal('unavailable');
      expect(calls).to.equal(1);
    });

    it('does not retry a change that may have arrived', async () => {
      let calls = 0;
      const server = await start({
        createNest: async () => {
          calls++;
          throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the database is away');
        },
        getNest: async () => {
          calls++;
          throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the database is away');
        },
      });
      const { nests: nestClient } = client(server);
      await failureOf(nestClient.createNest({ name: '', description: '', author: '' }));
      expect(calls).to.equal(1);
      await failureOf(nestClient.getNest({ nestId: 'n' }));
      expect(calls).to.equal(5);
    });
  });
}

const protoDir = fileURLToPath(new URL('../../test/proto', import.meta.url));

interface HealthDefinition {
  readonly Check: {
    readonly path: string;
    readonly requestSerialize: (value: object) => Buffer;
    readonly responseDeserialize: (bytes: Buffer) => { status: string };
  };
}

function lineMessage(sequence: number, text: string): WatchServerResponse {
  return { events: [{ event: { $case: 'console', value: { sequence, text, time: undefined } } }] };
}

async function* neverEnding(): AsyncGenerator<WatchServerResponse> {
  yield lineMessage(0, 'first');
  await new Promise(() => undefined);
}
