import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ConsoleSocket, createPanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { engineMissing, engineUrl, imageName, makeTestImages, removeContainersBelow } from '@panel/testing/engine';
import { createServers, type Installation, type Place } from '../../installation/installation.js';
import { floodConsole, importShellGame, killGame, printedLine, readers } from './console-flood.js';
import type { NoisyWork, Part, Scene } from './part.js';

const image = `~${imageName}:1`;
const ports = '28000-28009';
/** Of other owners. */
const echoGames = 4;
/** Of a core, for each game. */
const cpuPercent = 50;
/** A server takes 30 commands a minute, which has two turns. */
const commandEveryMs = 1_500;

/** A container prints as fast as its engine takes it. */
export const floodingContainer: Part = {
  name: `a container that prints without pause, ${readers} readers`,
  // The engine itself takes most of a core for what is printed, and here the panel has the same two.
  bounds: { target: 3, floor: 5 },
  prepare: async (scene) => {
    if ((await engineMissing()) !== null) return null;
    await makeTestImages();
    const { installation, person, others } = scene;
    const games: string[] = [];
    // Games that are only removed would be started again.
    const end = async () => {
      for (const id of games) await killGame(installation.client, id);
      await removeContainersBelow(installation.stack.dataDir);
    };
    const places = await addEngine(installation);
    const flood = { name: 'Flood', startup: `echo ready; exec yes '${printedLine}'`, image };
    const echo = { name: 'Echo', startup: 'echo ready; while read -r word; do echo "got $word"; done', image };
    const floodEgg = await importShellGame(installation, flood);
    const echoEgg = await importShellGame(installation, echo);
    const create = async (ownerId: string, eggId: string) =>
      createServers(installation, 1, { ownerId, eggId, cpuPercent, place: places.shift() });
    const [flooding = ''] = await create(person.id, floodEgg);
    const consoles: ConsoleSocket[] = [];
    try {
      for (const owner of others.slice(0, echoGames)) {
        const [id = ''] = await create(owner.id, echoEgg);
        games.push(id);
        consoles.push(await openGame(scene, owner.token, id));
      }
    } catch (error) {
      await end();
      throw error;
    }
    return {
      ...floodConsole(scene, flooding),
      probe: async (signal) => (await Promise.all(consoles.map(async (one) => echoes(one, signal)))).flat(),
      end: async () => {
        await Promise.all(consoles.map(async (one) => one.close()));
        await end();
      },
    } satisfies NoisyWork;
  },
};

/** A node for containers beside that for processes, on the same disk. */
async function addEngine({ client, stack }: Installation): Promise<Place[]> {
  const { data: nodes } = await client.get('/admin/nodes');
  const node = {
    name: 'engine',
    fqdn: 'localhost',
    runtime: 'docker' as const,
    engine: { url: engineUrl },
    files_address: nodes[0]?.files_address ?? '',
    data_root: path.join(stack.dataDir, 'node'),
    memory: 8_192,
    disk: 100_000,
  };
  const { id } = (await client.post('/admin/nodes', { body: node })).data;
  const params = { id };
  const isOnline = async () => (await client.get('/admin/nodes/{id}', { params })).data.status === 'online';
  await waitUntil('the node of the engine', isOnline);
  const body = { ip: '127.0.0.1', ports: [ports] };
  const { data: allocations } = await client.post('/admin/nodes/{id}/allocations', { params, body });
  return allocations.map((allocation) => ({ node_id: id, allocation_id: allocation.id }));
}

/** Its console at the gateway with limits, once the game runs. */
async function openGame(
  { installation: { client }, listen }: Scene,
  token: string,
  id: string,
): Promise<ConsoleSocket> {
  await client.post('/servers/{id}/power', { params: { id }, body: { action: 'start' } });
  const isRunning = async () => (await client.get('/servers/{id}', { params: { id } })).data.status === 'running';
  await waitUntil('a game that answers', isRunning);
  return createPanelClient({ baseUrl: `http://${listen}`, token }).openConsole(id);
}

/** Milliseconds from each command to its line. */
async function echoes(socket: ConsoleSocket, signal: AbortSignal): Promise<number[]> {
  const taken: number[] = [];
  while (!signal.aborted) {
    const word = `word-${performance.now()}`;
    const begin = performance.now();
    const answer = socket.next('console_output', { fromNow: true, where: ({ message }) => message === `got ${word}` });
    socket.command(word);
    await answer;
    taken.push(performance.now() - begin);
    await wait(commandEveryMs, undefined, { signal }).catch(() => undefined);
  }
  return taken;
}
