import { ApiError, type ConsoleSocket, type OptionsOf, type PanelClient, type Server } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { readEgg } from '@panel/stack';
import type { SharedStack } from './stack.js';

type NewServer = OptionsOf<'POST /admin/servers'>['body'];
type PowerAction = OptionsOf<'POST /servers/{id}/power'>['body']['action'];

/** Imports an egg and returns its id. */
export async function importEgg(client: PanelClient, content: string): Promise<string> {
  const { data } = await client.post('/admin/eggs/import', { bytes: content, type: 'application/json' });
  return data.id;
}

/** A server with the demo game, installed and offline. */
export async function createGame(test: SharedStack, overrides: Partial<NewServer> = {}): Promise<Server> {
  const eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
  return createServer(test, eggId, { memory: 128, environment: { TICK_SECONDS: '1' }, ...overrides });
}

export async function createServer(
  test: SharedStack,
  eggId: string,
  overrides: Partial<NewServer> = {},
): Promise<Server> {
  const body = { name: 'game', user_id: test.adminId, egg_id: eggId, memory: 512, cpu: 100, disk: 1024, ...overrides };
  const { data } = await test.admin.post('/admin/servers', { body });
  return untilStatus(test.admin, data.id, 'offline', 120_000);
}

/** Throws, with its installation error, when unreachable. */
export async function untilStatus(
  client: PanelClient,
  serverId: string,
  wanted: Server['status'],
  timeoutMs = 30_000,
): Promise<Server> {
  const probe = async () => {
    const { data } = await client.get('/servers/{id}', { params: { id: serverId } });
    if (data.status === 'install_failed' && wanted !== 'install_failed') throw new Error(String(data.install_error));
    return data.status === wanted && data;
  };
  return waitUntil(`the status ${wanted}`, probe, timeoutMs);
}

export async function power(client: PanelClient, serverId: string, action: PowerAction): Promise<void> {
  await client.post('/servers/{id}/power', { params: { id: serverId }, body: { action } });
}

export async function startGame(client: PanelClient, serverId: string): Promise<void> {
  // The preceding action may still hold the lock.
  await waitUntil('the start to be accepted', async () =>
    power(client, serverId, 'start').then(
      () => true,
      (error: unknown) => {
        if (error instanceof ApiError && error.code === 'server_locked') return false;
        throw error;
      },
    ),
  );
  await untilStatus(client, serverId, 'running');
}

export async function lineWith(
  console: ConsoleSocket,
  text: string,
  fromNow = true,
  timeoutMs = 15_000,
): Promise<string> {
  const isWanted = (line: string) => line.includes(text);
  const found = await console.waitFor(
    `the line "${text}"`,
    (said) => said.type === 'console_output' && isWanted(said.message),
    { fromNow, timeoutMs },
  );
  return found.type === 'console_output' ? found.message : '';
}

export async function ask(console: ConsoleSocket, command: string, answer: string): Promise<string> {
  const line = lineWith(console, answer);
  console.command(command);
  return line;
}
