import { createServers, defaultLimits, setNodes, startInstallation } from '../installation/installation.js';
import { populate } from '../installation/population.js';
import { addVolumes } from '../installation/volumes.js';
import type { LoadJob, LoadResult } from '../load/job.js';
import { latenciesOf } from '../load/recorder.js';
import { type Child, ownProgram, startChild } from '../measure/child.js';
import { runLoad } from '../measure/http.js';
import { median } from '../measure/process.js';
import { archives } from './noisy-neighbor/archives.js';
import { chattyGame } from './noisy-neighbor/chatty-game.js';
import { Customer } from './noisy-neighbor/customer.js';
import { contentSearch, jsonContents, longListing } from './noisy-neighbor/files.js';
import { floodingContainer } from './noisy-neighbor/flooding-container.js';
import { nameSearch } from './noisy-neighbor/name-search.js';
import type { Bounds, NoisyWork, Part, Scene } from './noisy-neighbor/part.js';
import { sqlDumps } from './noisy-neighbor/sql-dumps.js';
import { smallFile, otherRequests } from './noisy-neighbor/other-customers.js';
import { type Line, ms, type Row } from './row.js';

const parts: Readonly<Record<string, Part>> = {
  search: contentSearch,
  list: longListing,
  contents: jsonContents,
  sql: sqlDumps,
  console: chattyGame,
  container: floodingContainer,
  archives,
  names: nameSearch,
};
const chosen = process.env.NOISY_NEIGHBOR_PARTS?.split(',') ?? Object.keys(parts);
const rounds = Number(process.env.NOISY_NEIGHBOR_ROUNDS ?? 3);
const turnSeconds = 20;
/** Of all others: each stays far below the limits. */
const otherRate = 40;
const warmUpSeconds = 10;
const userCount = 100;
const serverCount = 1_000;
const customerServers = 4;
const usualBounds: Bounds = { target: 2, floor: 3 };

/** Requests of all other customers while one does the worst that the limits of a default configuration allow. */
export const noisyNeighbor: Row = {
  name: 'noisy-neighbor',
  about: `p95 of others beside the worst of one customer (NOISY_NEIGHBOR_PARTS of ${Object.keys(parts).join(',')})`,
  run: async () => {
    const wanted = chosen.map((name) => parts[name] ?? fail(`no part ${name}`));
    const overrides = { 'gateway-2': defaultLimits, servers: defaultLimits };
    const installation = await startInstallation(
      { JWT_ACCESS_EXPIRY: '24h' },
      { isPinned: false, gateways: 2, overrides },
    );
    const load = await startChild(ownProgram('load'), { core: 'any' });
    const { baseUrl = '' } = installation.stack.gateways[1] ?? {};
    const listen = baseUrl.replace('http://', '');
    try {
      const population = await populate(installation, userCount, serverCount);
      const person = population.reseller;
      await setNodes(installation, { memory_overallocate: -1, disk_overallocate: -1 });
      const serverIds = await createServers(installation, customerServers, {
        ownerId: person.id,
        isPlayable: true,
        diskMb: 4_096,
        databases: 1,
      });
      const copied = population.servers.map(({ id }) => id);
      await addVolumes(installation, serverIds[0] ?? '', copied, smallFile);
      const job = { listen, requests: otherRequests(population), rate: otherRate, connections: 0, atLeast: 0 };
      const customer = new Customer(baseUrl, person.token);
      const scene: Scene = { installation, listen, person, others: population.owners, customer, serverIds };
      await runLoad(load, { ...job, seconds: warmUpSeconds });
      const lines: Line[] = [];
      for (const part of wanted) lines.push(await measurePart(part, scene, load, job));
      customer.close();
      return lines;
    } finally {
      await load.stop();
      await installation.stop();
    }
  },
};

interface Turns {
  readonly alone: LoadResult;
  readonly beside: LoadResult;
}

async function measurePart(part: Part, scene: Scene, load: Child, job: Omit<LoadJob, 'seconds'>): Promise<Line> {
  const worst = await part.prepare(scene);
  if (worst === null) return { name: part.name, value: 'left out', details: 'not installed', target: '', holds: null };
  const turns: Turns[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      await scene.customer.windowOver();
      const alone = await measureOthers(worst, load, job);
      scene.customer.beginWindow();
      turns.push({ alone, beside: await measureBeside(worst, load, job) });
    }
  } finally {
    await worst.end?.();
  }
  return lineOf(part, turns, scene.customer.takeStatuses());
}

async function measureOthers(worst: NoisyWork, load: Child, job: Omit<LoadJob, 'seconds'>): Promise<LoadResult> {
  const over = new AbortController();
  const [result, echoes] = await Promise.all([
    runLoad(load, { ...job, seconds: turnSeconds }).finally(() => over.abort()),
    worst.probe?.(over.signal),
  ]);
  return echoes ? { ...result, kinds: { ...result.kinds, 'command echo': latenciesOf(echoes) } } : result;
}

async function measureBeside(worst: NoisyWork, load: Child, job: Omit<LoadJob, 'seconds'>): Promise<LoadResult> {
  const over = new AbortController();
  const acting = worst.act(over.signal);
  const [beside] = await Promise.all([measureOthers(worst, load, job).finally(() => over.abort()), acting]);
  await worst.afterTurn?.();
  return beside;
}

function lineOf({ name, bounds = usualBounds }: Part, turns: readonly Turns[], statuses: string): Line {
  const kinds = Object.keys(turns[0]?.alone.kinds ?? {}).map((kind) => {
    const p95 = (which: keyof Turns, turn: Turns) => turn[which].kinds[kind]?.p95Ms ?? NaN;
    const of = (pick: (turn: Turns) => number) => median(turns.map(pick));
    const [alone, beside] = [of((turn) => p95('alone', turn)), of((turn) => p95('beside', turn))];
    const ratio = of((turn) => p95('beside', turn) / p95('alone', turn));
    return { ratio, text: `${kind} ${ms(alone)} → ${ms(beside)}` };
  });
  const ratio = Math.max(...kinds.map((kind) => kind.ratio));
  const failures = turns.flatMap(({ alone, beside }) => [alone.failures, beside.failures]).flatMap(Object.keys);
  const failed = failures.length === 0 ? '' : `; others were answered ${[...new Set(failures)].join(', ')}`;
  const asked = statuses === '' ? '' : `; the customer ${statuses}`;
  return {
    name,
    value: `${ratio.toFixed(1)}×`,
    details: `${kinds.map(({ text }) => text).join(', ')}${failed}${asked}`,
    target: `<= ${bounds.target}× (${bounds.floor})`,
    holds: ratio <= bounds.floor && failures.length === 0,
  };
}

function fail(message: string): never {
  throw new Error(message);
}
