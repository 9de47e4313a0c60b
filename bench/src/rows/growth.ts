import { setTimeout as wait } from 'node:timers/promises';
import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { createServerStore, type ServerStore } from '../../../services/servers/dist/src/models/servers/server.js';
import { type Growth, growServers } from '../installation/grow-servers.js';
import { createServers, type Installation, password, startInstallation } from '../installation/installation.js';
import { type Plan, plansOf } from '../measure/plans.js';
import { cpuMs, median, rssMb } from '../measure/process.js';
import { type Line, ms, percent, type Row } from './row.js';

const running = 10;
/** Longer than the pause between two comparisons of an engine with the database. */
const idleMs = 40_000;
const asks = 20;
const large = 100_000;

/** List queries: pages and words vary, against cached answers. */
const lists = {
  'page 1…20 by name': (n: number) => ({ page: n, sort: 'name' }),
  'page 301…320 by memory': (n: number) => ({ page: 300 + n, sort: '-memory' }),
  'search for one name': (n: number) => ({ search: `grown ${n * 310}` }),
  'search for part of all': (n: number) => ({ search: 'grown', page: n }),
} as const;
type ListName = keyof typeof lists;
/** Those whose cost is independent of the total. */
const isBounded = (name: ListName) => name === 'page 1…20 by name' || name === 'search for one name';
const listNames = Object.keys(lists) as ListName[];

export const growth: Row = {
  name: 'growth',
  about: 'idle with 1,000 servers, ten of them running; lists and searches among 100,000 against 1,000; query plans',
  run: async () => {
    const started = await startInstallation();
    try {
      const ids = await createServers(started, running + 1, { isPlayable: true });
      const reseller = await createReseller(started);
      const grow = await growServers(started, reseller.id);
      try {
        return [...(await idle(started, grow, ids.slice(0, running))), ...(await grown(started, grow, reseller))];
      } finally {
        await grow.end();
      }
    } finally {
      await started.stop();
    }
  },
};

interface Reseller {
  readonly id: string;
  readonly client: PanelClient;
}

/** An ordinary user, later the owner of a tenth of all servers. */
async function createReseller({ client, stack }: Installation): Promise<Reseller> {
  const email = 'reseller@localhost.localdomain';
  const body = { email, username: 'reseller', first_name: 'Re', last_name: 'Seller', password };
  const { data } = await client.post('/admin/users', { body });
  const own = createPanelClient({ baseUrl: stack.baseUrl });
  await own.login(email, password);
  return { id: data.id, client: own };
}

async function idle({ client, stack }: Installation, grow: Growth, ids: readonly string[]): Promise<Line[]> {
  const processes = Object.entries(stack.pids()).filter(([name]) => name !== 'mongo' && name !== 'redis');
  const memory = () => new Map(processes.map(([name, pid]) => [name, rssMb(pid)]));
  for (const id of ids) await start(client, id);
  const before = memory();
  await grow.to(1_000);
  const cpuBefore = processes.map(([, pid]) => cpuMs(pid));
  await wait(idleMs);
  const used = processes.map(([name, pid], index) => ({
    name,
    share: (cpuMs(pid) - (cpuBefore[index] ?? 0)) / idleMs,
  }));
  const after = memory();
  const servers = used.find(({ name }) => name === 'servers')?.share ?? 0;
  const growthKb = ((after.get('servers') ?? 0) - (before.get('servers') ?? 0)) * 1.024;
  const list = (of: readonly { name: string; text: string }[]) =>
    of.map(({ name, text }) => `${name} ${text}`).join(', ');
  return [
    {
      name: `1,000 servers, ${running} running, idle: CPU of servers`,
      value: percent(servers),
      details: list(used.map(({ name, share }) => ({ name, text: percent(share) }))),
      target: '<= 3 % (10)',
      holds: servers <= 0.1,
    },
    {
      name: 'memory of servers for each of them',
      value: `${Math.max(0, growthKb).toFixed(0)} KB`,
      details: `MB: ${list([...after].map(([name, mb]) => ({ name, text: mb.toFixed(0) })))}`,
      target: '<= 30 KB (100)',
      holds: growthKb <= 100,
    },
  ];
}

async function start(client: PanelClient, id: string): Promise<void> {
  await client.post('/servers/{id}/power', { params: { id }, body: { action: 'start' } });
  await waitUntil(
    'a game',
    async () => (await client.get('/servers/{id}', { params: { id } })).data.status === 'running',
  );
}

type Latencies = Readonly<Record<ListName, number>>;

async function grown({ client }: Installation, grow: Growth, reseller: Reseller): Promise<Line[]> {
  const few = await latencies(async (query) => client.get('/admin/servers', { query }));
  await grow.to(large);
  const many = await latencies(async (query) => client.get('/admin/servers', { query }));
  const own = await latencies(async (query) => reseller.client.get('/servers', { query }));
  const store = createServerStore(grow.connection, () => undefined);
  return [
    ...listNames.map((name) => {
      const ratio = many[name] / few[name];
      return {
        name: `all: ${name}`,
        value: `${ratio.toFixed(2)}×`,
        details: `median ${ms(few[name])} of 1,000, ${ms(many[name])} of 100,000; own 10,000 of them ${ms(own[name])}`,
        target: isBounded(name) ? '<= 1.3× (3)' : '',
        holds: isBounded(name) ? ratio <= 3 : null,
      };
    }),
    planLine('plans of an ordinary user', await plans(grow, store, reseller.id)),
    planLine('plans of staff', await plans(grow, store, null)),
  ];
}

async function latencies(get: (query: ReturnType<(typeof lists)[ListName]>) => Promise<unknown>): Promise<Latencies> {
  const taken = async (name: ListName) => {
    const all: number[] = [];
    for (let count = 1; count <= asks; count++) {
      const begin = performance.now();
      await get(lists[name](count));
      all.push(performance.now() - begin);
    }
    return median(all);
  };
  const entries: [ListName, number][] = [];
  for (const name of listNames) entries.push([name, await taken(name)]);
  return Object.fromEntries(entries) as Latencies;
}

const sorts = ['createdAt', 'nameKey', 'status', 'limits.memoryMb', 'limits.cpuPercent', 'limits.diskMb'];

async function plans(grow: Growth, store: ServerStore, userId: string | null): Promise<Plan[]> {
  const all: Plan[] = [];
  const ask = async (name: string, search: string, field: string, status: 'offline' | null = null) => {
    const page = { page: 3, perPage: 25, skip: 50, search, sort: { [field]: -1, _id: 1 } as const };
    all.push(...(await plansOf(grow.connection, name, async () => store.list({ userId, status }, page))));
  };
  for (const field of sorts) await ask(`by ${field}`, '', field);
  await ask('status', '', 'createdAt', 'offline');
  await ask('search', 'grown 31', 'createdAt');
  await ask('search one letter', 'g', 'createdAt');
  return all;
}

function planLine(name: string, all: readonly Plan[]): Line {
  const scans = all.filter(({ stages }) => stages.includes('COLLSCAN'));
  const sorted = all.filter(({ stages }) => stages.includes('SORT'));
  const most = all.reduce((worst, plan) => (plan.docsExamined > worst.docsExamined ? plan : worst));
  const named = (of: readonly Plan[]) => (of.length === 0 ? 'none' : of.map(({ name }) => name).join(', '));
  return {
    name,
    value: `${scans.length} scans of ${all.length}`,
    details: `without an index: ${named(scans)}; sorted in memory: ${named(sorted)}; most read: ${most.docsExamined} documents, ${most.name}`,
    target: '0',
    holds: scans.length === 0,
  };
}
