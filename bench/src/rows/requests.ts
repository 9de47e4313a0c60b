import { createServers, type Installation, jwtSecret, startInstallation } from '../installation/installation.js';
import { type Child, ownProgram, startChild } from '../measure/child.js';
import { compare, type Figures, type Subject } from '../measure/http.js';
import { measuredCore } from '../measure/process.js';
import { type Line, ms, percent, type Row, us } from './row.js';

const serversInList = 25;

/** Requests through the gateway against R, in CPU time of the gateway, which other work on the machine hardly moves. */
export const requests: Row = {
  name: 'requests',
  about: 'GET /servers/{id}, GET /servers, a route without a hop; rate limit and JWT on and off; all against R',
  run: async () => {
    const installation = await startInstallation();
    const children: Child[] = [];
    try {
      const [serverId = ''] = await createServers(installation, serversInList);
      const reference = await startChild(ownProgram('reference'), { core: measuredCore });
      children.push(reference);
      const r: Subject = subjectOf('R', reference, '/hello');
      const gateway = gatewayOf(installation);
      const behind = pidsBehind(installation);
      const [first, one, list] = await compare(
        [r, gateway(`/api/v1/servers/${serverId}`), gateway('/api/v1/servers')],
        { behind },
      );
      if (!first || !one || !list) return [];
      const variants = await startVariants(installation);
      children.push(...Object.values(variants));
      const plain = (child: Child) => ({
        ...subjectOf('variant', child, '/api/v1/bench'),
        headers: bearer(installation),
      });
      const [second, full, noLimit, noJwt] = await compare([
        r,
        plain(variants.full),
        plain(variants.noLimit),
        plain(variants.noJwt),
      ]);
      if (!second || !full || !noLimit || !noJwt) return [];
      return [
        referenceLine(first),
        againstR('GET /servers/{id}', first, one, { floor: 0.2, target: '35 %' }),
        {
          name: 'its p99 at 32 connections',
          value: ms(one.p99Ms),
          details: `p50 ${ms(one.p50Ms)}; R ${ms(first.p99Ms)}`,
          target: '<= 5 ms (15)',
          holds: one.p99Ms <= 15,
        },
        againstR('GET /servers, 25 items', first, list, { floor: 0.06, target: '10 %' }),
        againstR('authenticated route without hop', second, full, { floor: 0.55, target: '70 %' }),
        onOff('rate limit on / off', full, noLimit, { floor: 0.6, target: '75 %' }),
        onOff('JWT on / off', full, noJwt, { floor: 0.9, target: '95 %' }),
      ];
    } finally {
      for (const child of children) await child.stop();
      await installation.stop();
    }
  },
};

function subjectOf(name: string, child: Child, path: string): Subject {
  return { name, pid: child.pid, listen: String(child.ready['listen']), path };
}

function bearer({ token }: Installation): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function gatewayOf(installation: Installation): (path: string) => Subject {
  const { stack } = installation;
  const listen = stack.baseUrl.replace('http://', '');
  const pid = stack.pids()['gateway'] ?? 0;
  return (path) => ({ name: path, pid, listen, path, headers: bearer(installation) });
}

function pidsBehind({ stack }: Installation): Record<string, number> {
  const wanted = ['servers', 'identity', 'mongo', 'redis'];
  return Object.fromEntries(Object.entries(stack.pids()).filter(([name]) => wanted.includes(name)));
}

/** Gateways with a route that calls no service: as it is, without counting, and without reading the token. */
async function startVariants({ stack, env }: Installation) {
  const program = ownProgram('gateway-variant');
  const common = {
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
  const start = async (variant: string) =>
    startChild(program, { env: { ...common, BENCH_VARIANT: variant }, core: measuredCore });
  return { full: await start('full'), noLimit: await start('no-limit'), noJwt: await start('no-jwt') };
}

function referenceLine(figures: Figures): Line {
  const details = `${figures.requestsPerSecond.toFixed(0)} requests/s, p99 ${ms(figures.p99Ms)}`;
  return { name: 'R', value: us(figures.cpuUs), details, target: '', holds: null };
}

interface Wanted {
  readonly floor: number;
  readonly target: string;
}

function againstR(name: string, r: Figures, it: Figures, { floor, target }: Wanted): Line {
  const ratio = r.cpuUs / it.cpuUs;
  const behind = Object.entries(it.behindUs).map(([process, used]) => `${process} ${us(used)}`);
  const perSecond = `${it.requestsPerSecond.toFixed(0)} requests/s = ${percent(it.requestsPerSecond / r.requestsPerSecond)}`;
  return {
    name,
    value: `${percent(ratio)} of R`,
    details: [`gateway ${us(it.cpuUs)}`, ...behind, perSecond].join(', '),
    target: `${target} (${percent(floor)})`,
    holds: ratio >= floor,
  };
}

function onOff(name: string, on: Figures, off: Figures, { floor, target }: Wanted): Line {
  const ratio = off.cpuUs / on.cpuUs;
  const details = `${us(on.cpuUs)} on, ${us(off.cpuUs)} off`;
  return { name, value: percent(ratio), details, target: `${target} (${percent(floor)})`, holds: ratio >= floor };
}
