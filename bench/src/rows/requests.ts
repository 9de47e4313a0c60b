import { type Installation, jwtSecret, startInstallation } from '../installation/installation.js';
import { populate, type Population, sharedServers } from '../installation/population.js';
import { type Child, ownProgram, startChild } from '../measure/child.js';
import { measureHalfLoaded } from '../measure/half-load.js';
import { compare, ratioByTurn, type Subject } from '../measure/http.js';
import { measuredCore } from '../measure/process.js';
import type { LoadRequest } from '../load/job.js';
import {
  againstOwn,
  againstR,
  detailTarget,
  fewLine,
  halfLoadLine,
  listTarget,
  onOff,
  p99Line,
  perSecond,
  referenceLine,
  resourcesTarget,
  searchTarget,
} from './requests-lines.js';
import { type Line, percent, type Row, us } from './row.js';

const userCount = 100;
const serverCount = 1_000;
const perPage = 25;
/** Callers expire every 5 s: the percentiles of a shorter turn depend on whether it has such a moment. */
const percentileSeconds = 12;

/** Of the saturated rate, at which requests of a turn share work: half of it takes far more than half of a core. */
const maxHalfLoad = 0.6;

/** So few that requests never wait for a core. */
const fewConnections = 2;

/** Differences are below machine noise: more turns. */
const variantRounds = { rounds: 5 };

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
  const detailSubject = { ...gateway('GET /servers/{id}', of('')), seconds: percentileSeconds };
  const atOwnRate = (name: string, drawn: readonly LoadRequest[]) => ({ ...gateway(name, drawn), beside: r });
  const behind = pidsBehind(installation);
  const subjects = [
    r,
    detailSubject,
    // Disk usage is cached up to 20 s: a turn this long reads each server once.
    { ...gateway('GET /servers/{id}/resources', of('/resources')), seconds: 20 },
    atOwnRate(
      'GET /servers, 25 items, any page of 40',
      pages.map((page) => asReseller(`page=${page}`)),
    ),
    atOwnRate(
      'GET /servers, the 10 of any user',
      owners.map(({ token }) => ({ path: '/api/v1/servers', headers: bearer(token) })),
    ),
    atOwnRate(
      'GET /servers, 25 of 500 shared',
      sharedPages.map((page) => ({ path: `/api/v1/servers?page=${page}`, headers: bearer(guest.token) })),
    ),
    atOwnRate(
      'GET /servers, search for one name of 1,000',
      resellerNames.map((name) => asReseller(`search=${encodeURIComponent(name)}`)),
    ),
    { ...detailSubject, name: `GET /servers/{id} with ${fewConnections} connections`, connections: fewConnections },
  ];
  const [first, detail, resources, list, own, shared, search, few] = await compare(subjects, { behind });
  if (!first || !detail || !resources || !list || !own || !shared || !search || !few) return [];
  const maxRate = detail.requestsPerSecond * maxHalfLoad;
  const half = await measureHalfLoaded(detailSubject, { behind: Object.values(behind), maxRate });
  return [
    referenceLine(first),
    ...againstR('GET /servers/{id}, any of 1,000', first, detail, detailTarget),
    p99Line(first, detail),
    fewLine(few, fewConnections),
    halfLoadLine(half),
    ...againstR('GET /servers/{id}/resources, any of 1,000', first, resources, resourcesTarget),
    ...againstR('GET /servers, 25 items, any page of 40', first, list, listTarget),
    ...againstR('GET /servers, the 10 of any of 100 users', first, own),
    ...againstR('GET /servers, 25 items, any page of 500 shared servers', first, shared, listTarget),
    againstOwn(list, shared),
    ...againstR('GET /servers, search for any name of 1,000', first, search, searchTarget),
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
      target: '62 % (55 %)',
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
