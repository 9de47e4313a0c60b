import { startInstallation } from '../installation/installation.js';
import { populate, type Population } from '../installation/population.js';
import { ownProgram, startChild } from '../measure/child.js';
import { ask, type Subject } from '../measure/http.js';
import { rssMb } from '../measure/process.js';
import type { LoadRequest } from '../load/job.js';
import type { Line, Row } from './row.js';

const minutes = Number(process.env.SOAK_MINUTES ?? 30);
const userCount = 100;
const serverCount = 500;
/** Caches and compilation: use up to then is normal. */
const warmUpShare = 1 / 3;
const sampleMs = 1_000;
/** The minimum of each part of the time: memory varies with garbage collection. */
const parts = 12;
const jobSeconds = 10;
/** Tolerated growth: MB, or a share. */
const noiseMb = 16;
const noiseShare = 0.1;
/** They cache reads in a configured size. */
const unmeasured: readonly string[] = ['mongo', 'redis'];

/** Random requests of random users for a long time: memory must stay flat. */
export const soak: Row = {
  name: 'soak',
  about: `${minutes} minutes (SOAK_MINUTES) of requests of any of ${userCount} users: growth of the memory of every process`,
  run: async () => {
    const installation = await startInstallation({ JWT_ACCESS_EXPIRY: '24h' });
    const { stack } = installation;
    try {
      const population = await populate(installation, userCount, serverCount);
      const pids = stack.pids();
      const subject: Subject = {
        name: 'soak',
        pid: pids['gateway'] ?? 0,
        listen: stack.baseUrl.replace('http://', ''),
        requests: requestsOf(population),
      };
      return await measure(subject, pids);
    } finally {
      await installation.stop();
    }
  },
};

function requestsOf({ servers, owners }: Population): LoadRequest[] {
  const as = (token: string, path: string) => ({ path, headers: { authorization: `Bearer ${token}` } });
  return [
    ...servers.flatMap(({ id, token }) =>
      ['', '/resources', '/schedules', '/subusers'].map((suffix) => as(token, `/api/v1/servers/${id}${suffix}`)),
    ),
    ...owners.flatMap(({ token }) =>
      ['/servers', '/account', '/account/sessions', '/account/api-keys', '/store/products', '/billing/invoices'].map(
        (path) => as(token, `/api/v1${path}`),
      ),
    ),
  ];
}

async function measure(subject: Subject, pids: Readonly<Record<string, number>>): Promise<Line[]> {
  const samples = new Map(Object.keys(pids).map((name): [string, Sample[]] => [name, []]));
  const begin = performance.now();
  const end = begin + minutes * 60_000;
  const sampling = setInterval(() => {
    for (const [name, pid] of Object.entries(pids))
      samples.get(name)?.push({ atMs: performance.now() - begin, mb: rssMb(pid) });
  }, sampleMs);
  const load = await startChild(ownProgram('load'));
  let requests = 0;
  try {
    while (performance.now() < end) requests += (await ask(load, subject, jobSeconds)).requests;
  } finally {
    clearInterval(sampling);
    await load.stop();
  }
  return [...samples].map(([name, taken]) => lineOf(name, taken, requests));
}

interface Sample {
  readonly atMs: number;
  readonly mb: number;
}

function lineOf(name: string, taken: readonly Sample[], requests: number): Line {
  const warmUpMs = minutes * 60_000 * warmUpShare;
  const rest = taken.filter(({ atMs }) => atMs >= warmUpMs);
  const low = lowest(rest);
  const perMs = slope(low);
  const restMs = (rest.at(-1)?.atMs ?? 0) - warmUpMs;
  const [first] = low;
  const startMb = first?.mb ?? 0;
  const growthMb = perMs * restMs;
  const allowedMb = Math.max(noiseMb, startMb * noiseShare);
  const peakMb = Math.max(...taken.map(({ mb }) => mb));
  return {
    name: `memory of ${name}`,
    value: `${growthMb >= 0 ? '+' : ''}${growthMb.toFixed(1)} MB`,
    details: `${(perMs * 3_600_000).toFixed(0)} MB an hour; ${startMb.toFixed(0)} MB after the warm-up, ${(low.at(-1)?.mb ?? 0).toFixed(0)} MB at the end, peak ${peakMb.toFixed(0)} MB; ${requests} requests`,
    target: unmeasured.includes(name) ? '' : `<= +${allowedMb.toFixed(0)} MB`,
    holds: unmeasured.includes(name) ? null : growthMb <= allowedMb,
  };
}

/** The minimum sample of each part of the time. */
function lowest(taken: readonly Sample[]): Sample[] {
  const size = Math.ceil(taken.length / parts);
  const starts = Array.from({ length: Math.ceil(taken.length / size) }, (_, part) => part * size);
  return starts.map((start) =>
    taken.slice(start, start + size).reduce((one, other) => (other.mb < one.mb ? other : one)),
  );
}

/** Of the least squares line, in MB a millisecond. */
function slope(points: readonly Sample[]): number {
  const mean = (pick: (point: Sample) => number) => points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [at, mb] = [mean((point) => point.atMs), mean((point) => point.mb)];
  const spread = mean((point) => (point.atMs - at) ** 2);
  return spread === 0 ? 0 : mean((point) => (point.atMs - at) * (point.mb - mb)) / spread;
}
