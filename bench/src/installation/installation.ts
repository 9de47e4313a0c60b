import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { type Stack, type StackOptions, startStack } from '@panel/stack';
import { loadCore, measuredCore, pin } from '../measure/process.js';

/** The gateway on one core, the rest on the other, unless unpinned. */
export interface Installation {
  readonly stack: Stack;
  readonly client: PanelClient;
  readonly token: string;
  readonly adminId: string;
  /** From nothing to ready, in milliseconds. */
  readonly startMs: number;
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const password = 'a long enough password';
export const jwtSecret = 'only-for-benchmarks-0123456789-abcdefghij';

const limitNames = ['GENERAL', 'AUTH', 'CONSOLE', 'UPLOAD', 'BACKUP'].map((name) => `RATE_LIMIT_${name}`);

/** Unreachable limits, to measure counting without refusals. */
const limits = Object.fromEntries(limitNames.map((name) => [name, '1000000']));

/** Overrides of a process that has the limits of an installation without configuration. */
export const defaultLimits = Object.fromEntries(limitNames.map((name) => [name, undefined]));

export async function startInstallation(
  env: Readonly<Record<string, string>> = {},
  {
    isPinned = true,
    overrides = {},
    programOf,
    gateways = 1,
  }: Pick<StackOptions, 'overrides' | 'programOf' | 'gateways'> & { readonly isPinned?: boolean } = {},
): Promise<Installation> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'panel-bench-'));
  await chmod(dataDir, 0o711);
  const begin = performance.now();
  const stack = await startStack({
    env: {
      PATH: process.env.PATH,
      REDIS_URL: process.env.REDIS_URL,
      MONGO_URL: process.env.MONGO_URL,
      PORT: '0',
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: password,
      JWT_SECRET: jwtSecret,
      RUNTIME: 'process',
      LOG_LEVEL: 'warn',
      ...limits,
      ...env,
    },
    overrides,
    gateways,
    ...(programOf ? { programOf } : {}),
    log: () => undefined,
  });
  const startMs = performance.now() - begin;
  for (const [name, pid] of Object.entries(stack.pids()))
    pin(pid, isPinned ? (name.startsWith('gateway') ? measuredCore : loadCore) : 'any');
  const client = createPanelClient({ baseUrl: stack.baseUrl });
  const { access_token: token } = await client.login(stack.adminEmail, password);
  const { data: account } = await client.get('/account');
  return {
    stack,
    client,
    token,
    adminId: account.id,
    startMs,
    env: { ...limits, ...env },
    stop: async () => {
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Place {
  readonly node_id: string;
  readonly allocation_id: string;
}

interface NewServers {
  /** Default: chosen by the panel. */
  readonly place?: Place | undefined;
  /** Default: 10. */
  readonly cpuPercent?: number;
  readonly isPlayable?: boolean;
  readonly diskMb?: number;
  /** Default: the administrator. */
  readonly ownerId?: string;
  /** Default: the demo game. */
  readonly eggId?: string;
  readonly databases?: number;
}

/** Servers of the demo game; those never started skip its script. */
export async function createServers(
  { client, adminId }: Installation,
  count: number,
  options: NewServers = {},
): Promise<string[]> {
  const egg_id = options.eggId ?? (await demoEgg(client));
  const body = {
    user_id: options.ownerId ?? adminId,
    egg_id,
    memory: 128,
    cpu: options.cpuPercent ?? 10,
    disk: options.diskMb ?? 128,
    databases_limit: options.databases ?? 0,
    skip_scripts: !options.isPlayable,
    ...options.place,
  };
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { data } = await client.post('/admin/servers', { body: { ...body, name: `server ${index}` } });
    ids.push(data.id);
  }
  for (const id of ids) {
    await waitUntil(`server ${id} to be installed`, async () => {
      const { data } = await client.get('/servers/{id}', { params: { id } });
      return data.status === 'offline';
    });
  }
  return ids;
}

export async function setNodes(
  { client }: Installation,
  body: {
    readonly upload_limit_mb?: number;
    readonly public_url?: string | null;
    readonly memory_overallocate?: number;
    readonly disk_overallocate?: number;
  },
): Promise<void> {
  const { data: nodes } = await client.get('/admin/nodes');
  for (const { id } of nodes) await client.put('/admin/nodes/{id}', { params: { id }, body });
}

async function demoEgg(client: PanelClient): Promise<string> {
  for await (const { id } of client.pages('/admin/nests')) {
    for await (const egg of client.pages('/admin/nests/{id}/eggs', { params: { id } })) {
      if (egg.name === 'Lantern Caverns') return egg.id;
    }
  }
  throw new Error('the demo egg is not there');
}
