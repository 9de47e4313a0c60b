import type { LoadJob, LoadRequest, LoadResult } from '../programs/load.js';
import { type Child, nextMessage, ownProgram, startChild } from './child.js';
import { cpuMs, median } from './process.js';

export interface Subject {
  readonly name: string;
  readonly pid: number;
  readonly listen: string;
  readonly requests: readonly LoadRequest[];
  /** Concurrent requests; default 32. */
  readonly connections?: number;
  /** Length of a turn, if special. */
  readonly seconds?: number;
}

export interface Figures {
  readonly requestsPerSecond: number;
  readonly cpuUs: number;
  readonly cpuUsByTurn: readonly number[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time per request of other processes, by name. */
  readonly behindUs: Readonly<Record<string, number>>;
}

const usualConnections = 32;
const warmUpSeconds = 1.5;
/** Covers every token and server several times. */
const warmUpRequests = 3_000;

/**
 * In alternating order, so that other load affects all alike. Medians per subject. `behind`: processes whose CPU time
 * is also counted. Throws on any answer but 200.
 */
export async function compare(
  subjects: readonly Subject[],
  options: {
    readonly rounds?: number;
    readonly seconds?: number;
    readonly behind?: Readonly<Record<string, number>>;
  } = {},
): Promise<Figures[]> {
  const { rounds = 3, seconds = 2, behind = {} } = options;
  const load = await startChild(ownProgram('load'));
  try {
    for (const subject of subjects) await ask(load, subject, warmUpSeconds, warmUpRequests);
    const all = subjects.map((): Figures[] => []);
    for (let round = 0; round < rounds; round++) {
      const order = [...subjects.keys()];
      for (const index of round % 2 === 0 ? order : order.reverse()) {
        const subject = subjects[index];
        if (subject) all[index]?.push(await measure(load, subject, subject.seconds ?? seconds, behind));
      }
    }
    return all.map(medians);
  } finally {
    await load.stop();
  }
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
  };
}

/** Loads a subject for a while. Throws on any answer but 200. */
export async function ask(
  load: Child,
  { name, listen, requests, connections = usualConnections }: Subject,
  seconds: number,
  atLeast = 0,
): Promise<LoadResult> {
  const job: LoadJob = { listen, requests, connections, seconds, atLeast };
  const answer = nextMessage(load.process, 'result');
  load.process.send(job);
  const result = (await answer) as unknown as LoadResult;
  if (result.failures > 0) throw new Error(`${name}: ${result.failures} of ${result.requests} answers were not 200`);
  return result;
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
  };
}
