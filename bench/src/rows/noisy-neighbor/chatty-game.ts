import { waitUntil } from '@panel/kit/testing';
import { createServers } from '../../installation/installation.js';
import { nextMessage, ownProgram, startChild } from '../../measure/child.js';
import type { Read } from '../../programs/readers.js';
import type { Part } from './part.js';

/** Console sockets that a user may have at once. */
const readers = 20;
const linesPerSecond = 10_000;
const pauses = 20;

/** A shell prints a batch of lines of 100 bytes, then sleeps. */
const egg = JSON.stringify({
  meta: { version: 'PTDL_v2' },
  name: 'Chatty',
  author: 'bench@example.com',
  docker_images: { Shell: '~busybox:stable' },
  startup: `echo ready; while :; do yes '${'a line of a game '.repeat(6).slice(0, 88)} xxxxxxxxxx' | head -n ${linesPerSecond / pauses}; sleep ${1 / pauses}; done`,
  config: { files: '{}', startup: '{"done": "ready"}', logs: '{}', stop: '^C' },
  scripts: { installation: { script: 'true', container: '~busybox:stable', entrypoint: 'sh' } },
  variables: [],
});

export const chattyGame: Part = {
  name: `a game of 10,000 lines/s, ${readers} readers`,
  prepare: async ({ installation, listen, person }) => {
    const { client } = installation;
    const imported = await client.post('/admin/eggs/import', { bytes: egg, type: 'application/json' });
    const [id = ''] = await createServers(installation, 1, { eggId: imported.data.id, ownerId: person.id });
    const params = { id };
    const isIn = async (status: string) => (await client.get('/servers/{id}', { params })).data.status === status;
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
      afterTurn: async () => {
        await client.post('/servers/{id}/power', { params, body: { action: 'kill' } });
        await waitUntil('the game to be killed', async () => isIn('offline'));
      },
    };
  },
};
