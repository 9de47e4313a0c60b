import type { LoadJob, LoadRequest, LoadResult } from '../load/job.js';
import { type Child, nextMessage, ownProgram, startChild } from './child.js';
import { cpuMs, median } from './process.js';

export interface Subject {
  readonly name: string;
  readonly pid: number;
  readonly listen: string;
  readonly requests: readonly LoadRequest[];
  /** Concurrent requests; default 32. */
  readonly connections?: number;
  /** Requests per second of an open loop, in place of those concurrent requests. */
  readonly rate?: number;
  /** Length of a turn, if special. */
  readonly seconds?: number;
  /** Measured after each turn, in an open loop at the rate of that turn. */
  readonly beside?: Subject;
}

export interface Figures {
  readonly requestsPerSecond: number;
  readonly cpuUs: number;
  readonly cpuUsByTurn: readonly number[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time per request of other processes, by name. */
  readonly behindUs: Readonly<Record<string, number>>;
  /** CPU time per request of `beside`, else 0. */
  readonly besideUs: number;
}

const usualConnections = 32;
/** Callers expire after 3 to 5 s: each turn has some that do. */
const usualSeconds = 6;
const warmUpSeconds = 1.5;
/** Covers every token and server several times. */
const warmUpRequests = 3_000;
/** CPU time has units of 10 ms, and one of these takes about 50 µs. */
const minBesideRequests = 2_000;

/**
 * In alternating order, so that other load affects all alike. Medians per subject. `behind`: processes whose CPU time
 * is also counted. Throws on any answer but 2xx.
 */
export async function compare(
  subjects: readonly Subject[],
  options: {
    readonly rounds?: number;
    readonly seconds?: number;
    readonly behind?: Readonly<Record<string, number>>;
  } = {},
): Promise<Figures[]> {
  const { rounds = 3, seconds = usualSeconds, behind = {} } = options;
  const load = await startChild(ownProgram('load'));
  try {
    for (const subject of subjects) await ask(load, subject, warmUpSeconds, warmUpRequests);
    const all = subjects.map((): Figures[] => []);
    for (let round = 0; round < rounds; round++) {
      const order = [...subjects.keys()];
      for (const index of round % 2 === 0 ? order : order.reverse()) {
        const subject = subjects[index];
        if (subject) all[index]?.push(await measureTurn(load, subject, subject.seconds ?? seconds, behind));
      }
    }
    return all.map(medians);
  } finally {
    await load.stop();
  }
}

async function measureTurn(
  load: Child,
  subject: Subject,
  seconds: number,
  behind: Readonly<Record<string, number>>,
): Promise<Figures> {
  const figures = await measure(load, subject, seconds, behind);
  const { beside } = subject;
  if (!beside) return figures;
  const rate = figures.requestsPerSecond;
  const { cpuUs } = await measure(load, { ...beside, rate }, Math.max(seconds, minBesideRequests / rate), {});
  return { ...figures, besideUs: cpuUs };
}

async function measure(
  load: Child,
  subject: Subject,
  seconds: number,
  behind: Readonly<Record<string, number>>,
): Promise<Figures> {
  const before = cpuMs(subject.pid);
  const behindBefore = Object.values(behind).map(cpuMs);
  const result = await ask(load, subject, seconds);
  const perRequestUs = (ms: number) => (ms * 1_000) / result.requests;
  const others = Object.entries(behind).map(([name, pid], index) => [
    name,
    perRequestUs(cpuMs(pid) - (behindBefore[index] ?? 0)),
  ]);
  const cpuUs = perRequestUs(cpuMs(subject.pid) - before);
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuUs,
    cpuUsByTurn: [cpuUs],
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    behindUs: Object.fromEntries(others),
    besideUs: 0,
  };
}

/** Loads a subject for a while. Throws on any answer but 2xx. */
export async function ask(
  load: Child,
  { name, listen, requests, connections = usualConnections, rate }: Subject,
  seconds: number,
  atLeast = 0,
): Promise<LoadResult> {
  const open = rate === undefined ? {} : { rate };
  const result = await runLoad(load, { listen, requests, connections, seconds, atLeast, ...open });
  const failures = Object.entries(result.failures).map(([status, count]) => `${count} times ${status}`);
  if (failures.length > 0) throw new Error(`${name}: of ${result.requests} answers ${failures.join(', ')}`);
  return result;
}

export async function runLoad(load: Child, job: LoadJob): Promise<LoadResult> {
  const answer = nextMessage(load.process, 'result');
  load.process.send(job);
  return (await answer) as unknown as LoadResult;
}

/** By turn: consecutive turns meet similar machine load. */
export function ratioByTurn(of: Figures, against: Figures): number {
  return median(of.cpuUsByTurn.map((us, turn) => us / (against.cpuUsByTurn[turn] ?? NaN)));
}

function medians(rounds: readonly Figures[]): Figures {
  const of = (pick: (figures: Figures) => number) => median(rounds.map(pick));
  const names = Object.keys(rounds[0]?.behindUs ?? {});
  return {
    requestsPerSecond: of((it) => it.requestsPerSecond),
    cpuUs: of((it) => it.cpuUs),
    cpuUsByTurn: rounds.map(({ cpuUs }) => cpuUs),
    p50Ms: of((it) => it.p50Ms),
    p99Ms: of((it) => it.p99Ms),
    behindUs: Object.fromEntries(names.map((name) => [name, of((it) => it.behindUs[name] ?? 0)])),
    besideUs: of((it) => it.besideUs),
  };
}
