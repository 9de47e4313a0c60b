import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { FileServiceService } from '@panel/protos/files';
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
      const writeFile = async (parts: AsyncIterable<object>) => {
        for await (const part of parts)
          seen.push(JSON.stringify(part).includes('chunk') ? 'written' : 'something else');
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
      const pieces = async function* () {
        yield await Promise.resolve({ part: { $case: 'chunk' as const, value: Buffer.from('a piece') } });
      };
      const all = Promise.all([nests.createNest(nest), files.writeFile(pieces()), watch()]);
      // Longer than all tries of a call to a service that is away.
      await wait(2_000);
      const seen: string[] = [];
      await start(seen);
      expect((await all)[2]).to.deep.equal([]);
      expect(seen.toSorted()).to.deep.equal(['created', 'watched', 'written']);
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
