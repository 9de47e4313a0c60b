import { waitUntil } from '@panel/kit/testing';
import { nextMessage, ownProgram, startChild } from '../../measure/child.js';
import type { Read } from '../../programs/readers.js';
import type { NoisyWork, Scene } from './part.js';

/** Console sockets that a user may have at once. */
export const readers = 20;
/** 100 bytes, with the mark by which readers count lines. */
export const printedLine = `${'a line of a game '.repeat(6).slice(0, 88)} xxxxxxxxxx`;

interface ShellGame {
  readonly name: string;
  /** Of a shell. */
  readonly startup: string;
  readonly image: string;
}

/** Imports an egg whose game is a shell; returns its id. */
export async function importShellGame(
  { client }: Scene['installation'],
  { name, startup, image }: ShellGame,
): Promise<string> {
  const egg = {
    meta: { version: 'PTDL_v2' },
    name,
    author: 'bench@example.com',
    docker_images: { Shell: image },
    startup,
    config: { files: '{}', startup: '{"done": "ready"}', logs: '{}', stop: '^C' },
    scripts: { installation: { script: 'true', container: image, entrypoint: 'sh' } },
    variables: [],
  };
  const imported = await client.post('/admin/eggs/import', { bytes: JSON.stringify(egg), type: 'application/json' });
  return imported.data.id;
}

/** The game of a server runs, and its owner reads the console with as many sockets as a user may have. */
export function floodConsole({ installation: { client }, listen, person }: Scene, id: string): NoisyWork {
  const params = { id };
  return {
    act: async (signal) => {
      const reading = await startChild(ownProgram('readers'), {
        core: 'any',
        env: {
          BENCH_READERS: `${readers}`,
          BENCH_LISTEN: listen,
          BENCH_PATH: `/api/v1/servers/${id}/ws`,
          BENCH_TOKEN: person.token,
        },
      });
      await client.post('/servers/{id}/power', { params, body: { action: 'start' } });
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      const answer = nextMessage(reading.process, 'read');
      reading.process.send('read');
      const { lines } = (await answer) as unknown as Read;
      await reading.stop();
      if (Math.min(...lines) === 0) throw new Error(`a reader of the console got no line: ${lines.join(', ')}`);
    },
    afterTurn: async () => killGame(client, id),
  };
}

/** Resolves after its end. */
export async function killGame(client: Scene['installation']['client'], id: string): Promise<void> {
  const params = { id };
  await client.post('/servers/{id}/power', { params, body: { action: 'kill' } });
  const isOffline = async () => (await client.get('/servers/{id}', { params })).data.status === 'offline';
  await waitUntil('the game to be killed', isOffline);
}
