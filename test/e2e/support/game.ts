import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, type ConsoleSocket, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { readEgg } from '@panel/stack';
import type { TestStack } from './stack.js';

export interface ServerView {
  readonly id: string;
  readonly status: string;
  readonly install_error: string | null;
  readonly allocation: { readonly id: string; readonly ip: string; readonly port: number };
}

/** Import an egg through the API and answer its id. */
export async function importEgg(client: PanelClient, content: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const { data } = await client.request<{ id: string }>('POST', '/admin/eggs/import', { body: content, headers });
  return data.id;
}

/** A server with the demo game, installed and offline. */
export async function createGame(test: TestStack, overrides: Record<string, unknown> = {}): Promise<ServerView> {
  const eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
  return createServer(test, eggId, { memory: 128, environment: { TICK_SECONDS: '1' }, ...overrides });
}

export async function createServer(
  test: TestStack,
  eggId: string,
  overrides: Record<string, unknown> = {},
): Promise<ServerView> {
  const body = { name: 'game', user_id: test.adminId, egg_id: eggId, memory: 512, cpu: 100, disk: 1024, ...overrides };
  const { data } = await test.admin.request<ServerView>('POST', '/admin/servers', { body });
  return untilStatus(test.admin, data.id, 'offline', 120_000);
}

/** Poll a server until it has a status. Throws, with its installation error, when it cannot get there. */
export async function untilStatus(
  client: PanelClient,
  serverId: string,
  wanted: string,
  timeoutMs = 30_000,
): Promise<ServerView> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const { data } = await client.request<ServerView>('GET', `/servers/${serverId}`);
    if (data.status === wanted) return data;
    if (data.status === 'install_failed' && wanted !== 'install_failed') throw new Error(String(data.install_error));
    if (performance.now() > end) throw new Error(`still ${data.status} after ${timeoutMs} ms, wanted ${wanted}`);
    await wait(100);
  }
}

export async function power(client: PanelClient, serverId: string, action: string): Promise<void> {
  await client.request('POST', `/servers/${serverId}/power`, { body: { action } });
}

/** Start a server and wait until it runs. */
export async function startGame(client: PanelClient, serverId: string): Promise<void> {
  // The action before this one may still be ending, and holds the server until it has.
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

/** The next console line that contains `text`. */
export async function lineWith(
  console: ConsoleSocket,
  text: string,
  fromNow = true,
  timeoutMs = 15_000,
): Promise<string> {
  const message = await console.waitFor(
    `the line "${text}"`,
    ({ type, message: line }) => type === 'console_output' && String(line).includes(text),
    { fromNow, timeoutMs },
  );
  return String(message.message);
}

/** Send a command and wait for a line that answers it. */
export async function ask(console: ConsoleSocket, command: string, answer: string): Promise<string> {
  const line = lineWith(console, answer);
  console.command(command);
  return line;
}
