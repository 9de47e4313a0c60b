import type { HalfLoad } from '../measure/half-load.js';
import { type Figures, ratioByTurn } from '../measure/http.js';
import { type Line, ms, percent, us } from './row.js';

interface Limit {
  readonly floor: number;
  readonly target: number;
}

/** Shares of R, and multiples of it. */
interface Target {
  /** R's time as a share of the gateway's. */
  readonly gateway?: Limit;
  /** The time of gateway, servers and identity in R. */
  readonly together?: Limit;
  /** The same in R at the rate of the row. */
  readonly ownRate?: Limit;
  /** The time of gateway, servers, identity and database in R. */
  readonly withDatabase?: Limit;
}

export const detailTarget: Target = {
  gateway: { floor: 0.28, target: 0.35 },
  together: { floor: 6.5, target: 5 },
};
export const resourcesTarget: Target = {
  gateway: { floor: 0.15, target: 0.25 },
  together: { floor: 16, target: 9 },
};
export const listTarget: Target = {
  gateway: { floor: 0.09, target: 0.12 },
  together: { floor: 26, target: 18 },
  ownRate: { floor: 12, target: 8 },
};
export const searchTarget: Target = {
  together: { floor: 20, target: 13 },
  withDatabase: { floor: 45, target: 30 },
};

export function referenceLine(figures: Figures): Line {
  const details = `${figures.requestsPerSecond.toFixed(0)} requests/s, p99 ${ms(figures.p99Ms)}`;
  return { name: 'R', value: us(figures.cpuUs), details, target: '', holds: null };
}

export function perSecond(r: Figures, it: Figures): string {
  return `${it.requestsPerSecond.toFixed(0)} requests/s = ${percent(it.requestsPerSecond / r.requestsPerSecond)}`;
}

/** The gateway's time and our processes' total, beside each process's CPU time. */
export function againstR(name: string, r: Figures, it: Figures, wanted: Target = {}): Line[] {
  const ratio = r.cpuUs / it.cpuUs;
  const all = Object.values(it.behindUs).reduce((sum, used) => sum + used, it.cpuUs);
  const behind = Object.entries(it.behindUs).map(([process, used]) => `${process} ${us(used)}`);
  const { gateway } = wanted;
  return [
    {
      name,
      value: `${percent(ratio)} of R`,
      details: [`gateway ${us(it.cpuUs)}`, ...behind].join(', '),
      target: gateway ? `${percent(gateway.target)} (${percent(gateway.floor)})` : '',
      holds: gateway ? ratio >= gateway.floor : null,
    },
    {
      name: '  gateway, servers and identity together',
      ...multiple(oursUs(it) / r.cpuUs, wanted.together),
      details: `every process ${us(all)} = ${(all / r.cpuUs).toFixed(1)}×R; ${perSecond(r, it)}`,
    },
    ...ownRateLines(it, wanted),
    ...databaseLines(r, it, wanted),
  ];
}

function ownRateLines(it: Figures, { ownRate }: Target): Line[] {
  if (it.besideUs === 0) return [];
  const details = `R ${us(it.besideUs)} at ${it.requestsPerSecond.toFixed(0)} requests/s`;
  return [{ name: '  together, against R at the same rate', ...multiple(oursUs(it) / it.besideUs, ownRate), details }];
}

function databaseLines(r: Figures, it: Figures, { withDatabase }: Target): Line[] {
  const { mongo } = it.behindUs;
  const name = '  together with the database';
  if (!withDatabase) return [];
  if (mongo === undefined) {
    const details = 'MONGO_URL names a database of another installation';
    return [{ name, value: 'left out', details, target: '', holds: null }];
  }
  return [{ name, ...multiple((oursUs(it) + mongo) / r.cpuUs, withDatabase), details: `database ${us(mongo)}` }];
}

function oursUs({ cpuUs, behindUs: { servers = 0, identity = 0 } }: Figures): number {
  return cpuUs + servers + identity;
}

function multiple(ratio: number, limit: Limit | undefined): Pick<Line, 'value' | 'target' | 'holds'> {
  return {
    value: `${ratio.toFixed(1)}×R`,
    target: limit ? `<= ${limit.target}×R (${limit.floor})` : '',
    holds: limit ? ratio <= limit.floor : null,
  };
}

/** Sharing servers must not slow down lists. */
export function againstOwn(own: Figures, shared: Figures): Line {
  const ratio = oursUs(shared) / oursUs(own);
  return {
    name: "  against a page of one's own servers",
    value: `${ratio.toFixed(2)}×`,
    details: `${us(oursUs(shared))} against ${us(oursUs(own))}: gateway, servers and identity together`,
    target: '<= 1.1× (1.25)',
    holds: ratio <= 1.25,
  };
}

export function p99Line(r: Figures, { p50Ms, p99Ms }: Figures): Line {
  return {
    name: '  its p99 at 32 connections',
    value: ms(p99Ms),
    details: `p50 ${ms(p50Ms)}; R ${ms(r.p99Ms)}`,
    target: '<= 12 ms (20)',
    holds: p99Ms <= 20,
  };
}

export function fewLine({ p50Ms, p99Ms, requestsPerSecond }: Figures, connections: number): Line {
  const details = `p50 ${ms(p50Ms)}; ${requestsPerSecond.toFixed(0)} requests/s`;
  return { name: `  the same at ${connections} connections`, value: ms(p99Ms), details, target: '', holds: null };
}

export function halfLoadLine({ requestsPerSecond, p50Ms, p99Ms, measuredShare, otherShare }: HalfLoad): Line {
  const cores = `gateway ${percent(measuredShare)} of a core, everything else ${percent(otherShare)}`;
  return {
    name: '  the same with the busiest core at half',
    value: ms(p99Ms),
    details: `p50 ${ms(p50Ms)}; open loop, ${requestsPerSecond.toFixed(0)} requests/s; ${cores}`,
    target: '<= 15 ms (30)',
    holds: p99Ms <= 30,
  };
}

interface Wanted {
  readonly floor: number;
  readonly target: string;
}

export function onOff(name: string, on: Figures, off: Figures, { floor, target }: Wanted): Line {
  const ratio = ratioByTurn(off, on);
  const details = `${us(on.cpuUs)} on, ${us(off.cpuUs)} off`;
  return { name, value: percent(ratio), details, target: `${target} (${percent(floor)})`, holds: ratio >= floor };
}
