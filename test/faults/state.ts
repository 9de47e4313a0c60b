import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { ApiError, type PanelClient } from '@panel/client';
import type { Client, Parts } from './client.js';
import { containersBelow } from '@panel/testing/engine';
import { program, saidFile } from './game.js';
import type { Files, Journal, Kind } from './journal.js';
import type { GameRuntime } from './plan.js';
import { digest } from './steps/files.js';

export interface ServerState {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
  readonly operation: string | null;
  readonly allocations: readonly string[];
}

/** What the panel says, and what the node has, while nothing goes on. */
export interface State {
  readonly servers: readonly ServerState[];
  /** Game processes by server. */
  readonly games: Readonly<Record<string, number>>;
  /** Folders of servers on the disk. */
  readonly volumes: readonly string[];
  /** Servers by allocation. */
  readonly assigned: Readonly<Record<string, string>>;
  /** How many servers have a reservation on the node. */
  readonly reservations: number;
  /** What the node's report names. */
  readonly orphans: readonly string[];
  readonly missing: readonly string[];
  /** Keys of what exists; one that exists twice is there twice. */
  readonly things: Readonly<Record<Kind, readonly string[]>>;
  readonly backups: readonly { readonly id: string; readonly status: string; readonly isWhole: boolean }[];
  /** Of the stores. */
  readonly files: Readonly<Record<string, Files>>;
  /** What the games have noted. */
  readonly said: Readonly<Record<string, string>>;
  /** Of power actions by id, and of the latest run by schedule. */
  readonly ends: Readonly<Record<string, string>>;
  /** The answer to a request with each credential. */
  readonly access: Readonly<Record<string, number>>;
  readonly ledgers: readonly Ledger[];
  readonly orders: readonly { readonly id: string; readonly status: string }[];
  readonly services: readonly { readonly id: string; readonly status: string; readonly serverId: string | null }[];
}

export interface Ledger {
  readonly user: string;
  readonly balance: number;
  readonly amounts: readonly number[];
  /** What the user's orders cost together, as their invoices say. */
  readonly paid: number;
}

type Reading = Parts & { readonly clients: readonly Client[] };

export async function readState(reading: Reading): Promise<State> {
  const { installation, journal, clients } = reading;
  const { admin } = installation;
  const node = await localNode(admin);
  const [servers, orders, services] = await Promise.all([
    all(admin.pages('/admin/servers')),
    all(admin.pages('/admin/billing/orders')),
    all(admin.pages('/admin/billing/services')),
  ]);
  const { data: report } = await admin.get('/admin/nodes/{id}/report', { params: { id: node.id } });
  const allocations = await all(admin.pages('/admin/nodes/{id}/allocations', { params: { id: node.id } }));
  const volumes = await readdir(path.join(node.data_root, 'servers'));
  const of = async <T>(read: (client: Client) => Promise<readonly T[]>) =>
    (await Promise.all(clients.map(read))).flat();
  const backups = await of(readBackups);
  const credits = await of(async ({ buyer }) => [await readCredits(admin, buyer.id, orders)]);
  const things = {
    server: servers.map(({ external_id: id }) => id ?? ''),
    key: await of(async ({ owner }) =>
      (await all(owner.panel.pages('/account/api-keys'))).map(({ description }) => description),
    ),
    subuser: await of(async ({ owner, storeId: id }) =>
      (await all(owner.panel.pages('/servers/{id}/subusers', { params: { id } }))).map(
        ({ user }) => `${id} ${user.email}`,
      ),
    ),
    backup: backups.map(({ name }) => name),
    grant: credits.flatMap(({ reasons }) => reasons),
    order: services.map(({ config }) => config.server_name),
  };
  return {
    servers: servers.map(({ id, external_id: externalId, status, operation, allocations: own }) => ({
      id,
      externalId: externalId ?? '',
      status,
      operation: operation?.kind ?? null,
      allocations: own.map((allocation) => allocation.id),
    })),
    games: await countGames[installation.runtime](path.join(node.data_root, 'servers')),
    volumes,
    assigned: Object.fromEntries(
      allocations.flatMap(({ id, server_id: serverId }) => (serverId === null ? [] : [[id, serverId]])),
    ),
    reservations: node.allocated.servers,
    orphans: [...report.orphan_instances, ...report.orphan_volumes.map(({ server_id: id }) => id)],
    missing: report.missing_volumes.map(({ id }) => id),
    things,
    backups,
    files: Object.fromEntries(
      await of(async (client) => [[client.storeId, await readFiles(client.owner.panel, client.storeId)]]),
    ),
    said: Object.fromEntries(
      await of(async ({ gameId }) => [
        [gameId, await readText(path.join(node.data_root, 'servers', gameId, saidFile))],
      ]),
    ),
    ends: Object.fromEntries(await of(async (client) => readEnds(client, journal))),
    access: Object.fromEntries(
      await of(async ({ credentials }) =>
        Promise.all([...credentials].map(async ([name, panel]) => [name, await statusOf(panel.get('/account'))])),
      ),
    ),
    ledgers: credits,
    orders: orders.map(({ id, status }) => ({ id, status })),
    services: services.map(({ id, status, server_id: serverId }) => ({ id, status, serverId })),
  };
}

export async function localNode(admin: PanelClient) {
  const { data } = await admin.get('/admin/nodes');
  const [node] = data;
  if (!node) throw new Error('there is no node');
  return node;
}

/** Without the game, which does not change. */
export async function readFiles(panel: PanelClient, id: string): Promise<Files> {
  const entries = await all(panel.pages('/servers/{id}/files/list', { params: { id }, query: { directory: '/' } }));
  const read = async (file: string) => {
    const answer = await panel.download('/servers/{id}/files/contents', { params: { id }, query: { path: file } });
    return [file, digest(new Uint8Array(await answer.arrayBuffer()))] as const;
  };
  const paths = entries.map(({ path: file }) => file).filter((file) => file !== `/${program}`);
  return Object.fromEntries(await Promise.all(paths.map(read)));
}

/** A completed one is whole when it can be read with its checksum. */
async function readBackups({ owner: { panel }, storeId: id }: Client) {
  const backups = await all(panel.pages('/servers/{id}/backups', { params: { id } }));
  const isWhole = async (backup: (typeof backups)[number]) => {
    const params = { id, backup_id: backup.id };
    const answer = await panel.download('/servers/{id}/backups/{backup-id}/download', { params });
    return `sha256:${digest(new Uint8Array(await answer.arrayBuffer()))}` === backup.checksum;
  };
  return Promise.all(
    backups.map(async (backup) => ({
      id: backup.id,
      name: backup.name,
      status: backup.status,
      isWhole: backup.status !== 'completed' || (await isWhole(backup)),
    })),
  );
}

async function readCredits(
  admin: PanelClient,
  user: string,
  orders: readonly { readonly user_id: string; readonly status: string; readonly total: { readonly amount: number } }[],
) {
  const { data } = await admin.get('/admin/users/{id}/credits', { params: { id: user } });
  const isPaid = ({ user_id: buyer, status }: (typeof orders)[number]) =>
    buyer === user && (status === 'paid' || status === 'completed');
  return {
    user,
    balance: data.balance,
    amounts: data.entries.map(({ amount }) => amount.amount),
    reasons: data.entries.map(({ reason }) => reason.replace(/^grant: /, '')),
    paid: orders.filter(isPaid).reduce((sum, { total }) => sum + total.amount, 0),
  };
}

/** Of the power actions of this round, and of the schedule's latest run. */
async function readEnds(client: Client, journal: Journal): Promise<readonly (readonly [string, string])[]> {
  const { panel } = client.owner;
  const isOwn = ({ fact, id }: Journal['entries'][number]) =>
    fact.do === 'power' && fact.server === client.gameId && id !== '';
  const params = { id: client.gameId, schedule_id: client.scheduleId };
  const { data: schedule } = await panel.get('/servers/{id}/schedules/{schedule-id}', { params });
  const ended = await Promise.all(
    journal
      .ofRound(journal.round)
      .filter(isOwn)
      .map(async ({ id: operation }) => {
        const { data } = await panel.get('/servers/{id}/operations/{operation-id}', {
          params: { id: client.gameId, operation_id: operation },
        });
        return [operation, data.state] as const;
      }),
  );
  return [...ended, [client.scheduleId, schedule.runs[0]?.status ?? 'none']];
}

const countGames: Readonly<Record<GameRuntime, (servers: string) => Promise<Record<string, number>>>> = {
  process: countProcesses,
  docker: countContainers,
};

/** Those that run a game, by the server that they are labelled with. */
async function countContainers(servers: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { State: state, Labels: labels } of await containersBelow(servers)) {
    const id = labels['panel.server'] ?? '';
    if (state === 'running' && labels['panel.kind'] === 'server') counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

/** Those that run the game, by the folder that they run in. */
async function countProcesses(servers: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    const commandLine = await readText(`/proc/${pid}/cmdline`);
    if (path.dirname(folder) !== servers || !commandLine.includes(program)) continue;
    const id = path.basename(folder);
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

/** Empty when it does not exist, or does not any more. */
async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  });
}

async function statusOf(request: Promise<unknown>): Promise<number> {
  return request.then(
    () => 200,
    (error: unknown) => {
      if (error instanceof ApiError && error.status < 500) return error.status;
      throw error;
    },
  );
}

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of pages) found.push(item);
  return found;
}
