import { randomBytes } from 'node:crypto';
import { realTime, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { FileServiceService, type WriteFileRequest } from '@panel/protos/files';
import { ConsoleServiceService, NestServiceService, type WatchServerResponse } from '@panel/protos/servers';
import {
  connect,
  createActorSigner,
  type Handlers,
  serve,
  serviceActor,
  type ServiceDefinition,
  startGrpcServer,
} from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';

const signer = createActorSigner(randomBytes(32).toString('hex'));
const log = createLogger({ service: 'test', level: 'silent' });
const nest = { name: 'n', description: '', author: '' };

function handlersOf<S extends ServiceDefinition>(definition: S, given: object): Handlers<S> {
  const unused = async (): Promise<never> => Promise.reject(new Error('not part of this test'));
  const missing = Object.fromEntries(Object.keys(definition).map((name) => [name, unused]));
  return { ...missing, ...given } as unknown as Handlers<S>;
}

async function* pieces() {
  for (const text of ['three', ' pie', 'ces']) {
    yield await Promise.resolve({ part: { $case: 'chunk' as const, value: Buffer.from(text) } });
  }
}

for (const transport of ['native', 'multiplexed'] as const) {
  describe(`service that starts anew, ${transport} calls`, function () {
    this.timeout(30_000);
    let address = '127.0.0.1:0';
    const stopping: (() => unknown)[] = [];
    afterEach(async () => {
      for (const stop of stopping.splice(0)) await stop();
      address = '127.0.0.1:0';
    });

    /** At the address of the one before. */
    async function start(seen: string[] = []) {
      const createNest = async () => (seen.push('created'), { nest: undefined });
      const getNest = async () => ({ nest: undefined });
      const writeFile = async (parts: AsyncIterable<WriteFileRequest>) => {
        let text = '';
        for await (const { part } of parts) text += part?.$case === 'chunk' ? String(part.value) : '?';
        seen.push(text === 'three pieces' ? 'written' : `written: ${text}`);
        return { entry: undefined };
      };
      const watchServer = async function* (): AsyncGenerator<WatchServerResponse> {
        seen.push('watched');
        yield await Promise.resolve({ events: [] });
      };
      const server = await startGrpcServer(
        [
          serve(NestServiceService, handlersOf(NestServiceService, { createNest, getNest })),
          serve(FileServiceService, handlersOf(FileServiceService, { writeFile })),
          serve(ConsoleServiceService, handlersOf(ConsoleServiceService, { watchServer })),
        ],
        { listen: address, signer, log },
      );
      ({ address } = server);
      stopping.push(async () => server.stop(0));
      return server;
    }

    function client() {
      const connection = connect({ address, signer, actor: serviceActor('test'), transport });
      stopping.push(() => connection.close());
      return {
        nests: connection.client(NestServiceService),
        consoles: connection.client(ConsoleServiceService),
        files: connection.client(FileServiceService),
      };
    }

    it('carries out changes, streams and uploads once that began meanwhile', async () => {
      const first = await start();
      const { nests, consoles, files } = client();
      await nests.getNest({ nestId: 'n' });
      await first.stop(0);
      const watch = async () => {
        for await (const { events } of consoles.watchServer({ serverId: 's', historyLines: 0 })) return events;
        return null;
      };
      const all = Promise.all([nests.createNest(nest), files.writeFile(pieces()), watch()]);
      await realTime(1_000, 'all tries of a call to a service that is away, over TCP');
      const seen: string[] = [];
      await start(seen);
      expect((await all)[2]).to.deep.equal([]);
      expect(seen.toSorted()).to.deep.equal(['created', 'watched', 'written']);
    });

    it('carries out each change and upload once that is under way when it leaves, again and again', async function () {
      this.timeout(60_000);
      const seen: string[] = [];
      let server = await start(seen);
      const { nests, files } = client();
      await nests.getNest({ nestId: 'n' });
      const failures: string[] = [];
      const done = new AbortController();
      const counts = { created: 0, written: 0 };
      const ask = async (kind: keyof typeof counts) => {
        while (!done.signal.aborted) {
          const call = kind === 'created' ? nests.createNest(nest) : files.writeFile(pieces());
          await call.then(
            () => (counts[kind] += 1),
            (error: unknown) => failures.push(String(error)),
          );
        }
      };
      const asking = (['created', 'written'] as const).flatMap((kind) =>
        Array.from({ length: 8 }, async () => ask(kind)),
      );
      for (let round = 0; round < 15; round += 1) {
        const wanted = counts.written + 50;
        await waitUntil('more answers', () => counts.written >= wanted, 20_000);
        await server.stop(2_000);
        server = await start(seen);
      }
      done.abort();
      await Promise.all(asking);
      expect(failures).to.deep.equal([]);
      for (const [kind, count] of Object.entries(counts))
        expect(seen.filter((what) => what === kind)).to.have.length(count);
    });

    it('ends the wait once it has been away for some seconds', async () => {
      const server = await start();
      const { nests } = client();
      await nests.getNest({ nestId: 'n' });
      await server.stop(0);
      const failed = async () => {
        const began = performance.now();
        const error: unknown = await nests.createNest(nest).catch((caught: unknown) => caught);
        expect(isAppError(error, 'SERVICE_UNAVAILABLE'), String(error)).to.equal(true);
        return performance.now() - began;
      };
      expect(await failed()).to.be.within(6_000, 10_000);
      expect(await failed()).to.be.below(2_500);
    });
  });
}
