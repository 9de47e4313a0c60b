import { type Installation, jwtSecret, startInstallation } from '../installation/installation.js';
import { populate, type Population, sharedServers } from '../installation/population.js';
import { type Child, ownProgram, startChild } from '../measure/child.js';
import { compare, type Figures, ratioByTurn, type Subject } from '../measure/http.js';
import { measuredCore } from '../measure/process.js';
import type { LoadRequest } from '../programs/load.js';
import { type Line, ms, percent, type Row, us } from './row.js';

const userCount = 100;
const serverCount = 1_000;
const perPage = 25;

/** A row's targets: R's share of the gateway, and of all our processes. */
interface Target {
  readonly floor: number;
  readonly target: number;
  readonly floorTogether: number;
  readonly targetTogether: number;
}

const detailTarget: Target = { floor: 0.15, target: 0.25, floorTogether: 16, targetTogether: 9 };
const listTarget: Target = { floor: 0.06, target: 0.1, floorTogether: 45, targetTogether: 25 };

/** So few that requests never wait for a core. */
const fewConnections = 2;

/** Differences are below machine noise: many short turns. */
const variantRounds = { rounds: 15, seconds: 1 };

/** Requests through the gateway against R, in CPU time, which other load hardly affects. */
export const requests: Row = {
  name: 'requests',
  about:
    'details, lists and resources of 1,000 servers of 100 users at random; rate limit and JWT on and off; all against R',
  run: async () => {
    const installation = await startInstallation();
    const children: Child[] = [];
    try {
      const population = await populate(installation, userCount, serverCount);
      const reference = await startChild(ownProgram('reference'), { core: measuredCore });
      children.push(reference);
      const r: Subject = subjectOf('R', reference, [{ path: '/hello' }]);
      const reads = await measureReads(installation, population, r);
      const variants = await startVariants(installation);
      children.push(variants);
      return [...reads, ...(await measureVariants(r, variants, population))];
    } finally {
      for (const child of children) await child.stop();
      await installation.stop();
    }
  },
};

async function measureReads(installation: Installation, population: Population, r: Subject): Promise<Line[]> {
  const { servers, owners, reseller, guest, resellerNames } = population;
  const gateway = gatewayOf(installation);
  const of = (suffix: string) =>
    servers.map(({ id, token }) => ({ path: `/api/v1/servers/${id}${suffix}`, headers: bearer(token) }));
  const pages = Array.from({ length: serverCount / perPage }, (_, index) => index + 1);
  const sharedPages = pages.slice(0, sharedServers / perPage);
  const asReseller = (query: string) => ({ path: `/api/v1/servers?${query}`, headers: bearer(reseller.token) });
  const subjects = [
    r,
    gateway('GET /servers/{id}', of('')),
    // Disk usage is cached up to 20 s: a turn this long reads each server once.
    { ...gateway('GET /servers/{id}/resources', of('/resources')), seconds: 20 },
    gateway(
      'GET /servers, 25 items, any page of 40',
      pages.map((page) => asReseller(`page=${page}`)),
    ),
    gateway(
      'GET /servers, the 10 of any user',
      owners.map(({ token }) => ({ path: '/api/v1/servers', headers: bearer(token) })),
    ),
    gateway(
      'GET /servers, 25 of 500 shared',
      sharedPages.map((page) => ({ path: `/api/v1/servers?page=${page}`, headers: bearer(guest.token) })),
    ),
    gateway(
      'GET /servers, search for one name of 1,000',
      resellerNames.map((name) => asReseller(`search=${encodeURIComponent(name)}`)),
    ),
    { ...gateway(`GET /servers/{id} with ${fewConnections} connections`, of('')), connections: fewConnections },
  ];
  const [first, detail, resources, list, own, shared, search, calm] = await compare(subjects, {
    behind: pidsBehind(installation),
  });
  if (!first || !detail || !resources || !list || !own || !shared || !search || !calm) return [];
  return [
    referenceLine(first),
    ...againstR('GET /servers/{id}, any of 1,000', first, detail, detailTarget),
    p99Line(first, detail),
    idleLine(calm),
    ...againstR('GET /servers/{id}/resources, any of 1,000', first, resources, detailTarget),
    ...againstR('GET /servers, 25 items, any page of 40', first, list, listTarget),
    ...againstR('GET /servers, the 10 of any of 100 users', first, own, null),
    ...againstR('GET /servers, 25 items, any page of 500 shared servers', first, shared, listTarget),
    againstOwn(list, shared),
    ...againstR('GET /servers, search for any name of 1,000', first, search, null),
  ];
}

async function measureVariants(r: Subject, variants: Child, { owners }: Population): Promise<Line[]> {
  const path = '/api/v1/bench';
  const drawn = owners.map(({ token }) => ({ path, headers: bearer(token) }));
  // Compared subjects are adjacent.
  const subjects = [
    { ...subjectOf('no limit', variants, drawn), listen: String(variants.ready['noLimit']) },
    r,
    subjectOf('full', variants, drawn),
    { ...subjectOf('no JWT', variants, drawn), listen: String(variants.ready['noJwt']) },
  ];
  const [noLimit, reference, full, noJwt] = await compare(subjects, variantRounds);
  if (!reference || !full || !noLimit || !noJwt) return [];
  const ratio = ratioByTurn(reference, full);
  return [
    {
      name: 'authenticated route without hop',
      value: `${percent(ratio)} of R`,
      details: `gateway ${us(full.cpuUs)}, ${perSecond(reference, full)}`,
      target: '70 % (55 %)',
      holds: ratio >= 0.55,
    },
    onOff('rate limit on / off', full, noLimit, { floor: 0.6, target: '75 %' }),
    onOff('JWT on / off', full, noJwt, { floor: 0.9, target: '95 %' }),
  ];
}

function subjectOf(name: string, child: Child, drawn: readonly LoadRequest[]): Subject {
  return { name, pid: child.pid, listen: String(child.ready['listen']), requests: drawn };
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function gatewayOf({ stack }: Installation): (name: string, drawn: readonly LoadRequest[]) => Subject {
  const listen = stack.baseUrl.replace('http://', '');
  const pid = stack.pids()['gateway'] ?? 0;
  return (name, drawn) => ({ name, pid, listen, requests: drawn });
}

/** All processes but the gateway. */
function pidsBehind({ stack }: Installation): Record<string, number> {
  return Object.fromEntries(Object.entries(stack.pids()).filter(([name]) => name !== 'gateway'));
}

/** A gateway with a route without service calls: unchanged, without counting, without reading the token. */
async function startVariants({ stack, env }: Installation): Promise<Child> {
  const own = {
    ...env,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    JWT_SECRET: jwtSecret,
    SERVICE_SECRET: stack.serviceSecret,
    REDIS_URL: stack.redisUrl ?? undefined,
    ...Object.fromEntries(
      Object.entries(stack.grpc).map(([name, address]) => [`${name.toUpperCase()}_ADDRESS`, address]),
    ),
  };
  return startChild(ownProgram('gateway-variant'), { env: own, core: measuredCore });
}

function referenceLine(figures: Figures): Line {
  const details = `${figures.requestsPerSecond.toFixed(0)} requests/s, p99 ${ms(figures.p99Ms)}`;
  return { name: 'R', value: us(figures.cpuUs), details, target: '', holds: null };
}

function perSecond(r: Figures, it: Figures): string {
  return `${it.requestsPerSecond.toFixed(0)} requests/s = ${percent(it.requestsPerSecond / r.requestsPerSecond)}`;
}

/** The gateway's time and our processes' total, beside each process's CPU time. */
function againstR(name: string, r: Figures, it: Figures, wanted: Target | null): Line[] {
  const ratio = r.cpuUs / it.cpuUs;
  const { servers = 0, identity = 0 } = it.behindUs;
  const together = (it.cpuUs + servers + identity) / r.cpuUs;
  const all = Object.values(it.behindUs).reduce((sum, used) => sum + used, it.cpuUs);
  const behind = Object.entries(it.behindUs).map(([process, used]) => `${process} ${us(used)}`);
  return [
    {
      name,
      value: `${percent(ratio)} of R`,
      details: [`gateway ${us(it.cpuUs)}`, ...behind].join(', '),
      target: wanted ? `${percent(wanted.target)} (${percent(wanted.floor)})` : '',
      holds: wanted && ratio >= wanted.floor,
    },
    {
      name: '  gateway, servers and identity together',
      value: `${together.toFixed(1)}×R`,
      details: `every process ${us(all)} = ${(all / r.cpuUs).toFixed(1)}×R; ${perSecond(r, it)}`,
      target: wanted ? `<= ${wanted.targetTogether}×R (${wanted.floorTogether})` : '',
      holds: wanted && together <= wanted.floorTogether,
    },
  ];
}

/** Sharing servers must not slow down lists. */
function againstOwn(own: Figures, shared: Figures): Line {
  const together = ({ cpuUs, behindUs: { servers = 0, identity = 0 } }: Figures) => cpuUs + servers + identity;
  const ratio = together(shared) / together(own);
  return {
    name: "  against a page of one's own servers",
    value: `${ratio.toFixed(2)}×`,
    details: `${us(together(shared))} against ${us(together(own))}: gateway, servers and identity together`,
    target: '<= 1.1× (1.25)',
    holds: ratio <= 1.25,
  };
}

function p99Line(r: Figures, { p50Ms, p99Ms }: Figures): Line {
  return {
    name: '  its p99 at 32 connections',
    value: ms(p99Ms),
    details: `p50 ${ms(p50Ms)}; R ${ms(r.p99Ms)}`,
    target: '<= 5 ms (15)',
    holds: p99Ms <= 15,
  };
}

function idleLine({ p50Ms, p99Ms, requestsPerSecond }: Figures): Line {
  const details = `p50 ${ms(p50Ms)}; ${requestsPerSecond.toFixed(0)} requests/s`;
  return { name: `  the same at ${fewConnections} connections`, value: ms(p99Ms), details, target: '', holds: null };
}

interface Wanted {
  readonly floor: number;
  readonly target: string;
}

function onOff(name: string, on: Figures, off: Figures, { floor, target }: Wanted): Line {
  const ratio = ratioByTurn(off, on);
  const details = `${us(on.cpuUs)} on, ${us(off.cpuUs)} off`;
  return { name, value: percent(ratio), details, target: `${target} (${percent(floor)})`, holds: ratio >= floor };
}
