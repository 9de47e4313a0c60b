import { ask, type Subject } from './http.js';
import { type Child, ownProgram, startChild } from './child.js';
import { cpuMs, median } from './process.js';

const share = 0.5;
const tolerance = 0.03;
const firstRate = 200;
const maxCalibrations = 8;
const calibrationSeconds = 3;
const rounds = 3;
/** Callers expire every 5 s: each turn has several such moments. */
const turnSeconds = 12;

export interface HalfLoad {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Busy share of the subject's core, and of the core of everything else, the load included. */
  readonly measuredShare: number;
  readonly otherShare: number;
}

/**
 * In an open loop at the rate that keeps the busier core half busy. `behind`: the processes on the load's core. Where
 * other work takes the cores, half is not reached at `maxRate` requests per second.
 */
export async function measureHalfLoaded(
  subject: Subject,
  { behind, maxRate }: { readonly behind: readonly number[]; readonly maxRate: number },
): Promise<HalfLoad> {
  const load = await startChild(ownProgram('load'));
  try {
    const turn = async (rate: number, seconds: number) => askAt(load, { ...subject, rate }, behind, seconds);
    const rate = await calibrate(turn, maxRate);
    const turns: HalfLoad[] = [];
    for (let round = 0; round < rounds; round++) turns.push(await turn(rate, turnSeconds));
    const of = (pick: (it: HalfLoad) => number) => median(turns.map(pick));
    return {
      requestsPerSecond: of((it) => it.requestsPerSecond),
      p50Ms: of((it) => it.p50Ms),
      p99Ms: of((it) => it.p99Ms),
      measuredShare: of((it) => it.measuredShare),
      otherShare: of((it) => it.otherShare),
    };
  } finally {
    await load.stop();
  }
}

/** CPU time by rate is no straight line: requests of a turn of the event loop share work. */
async function calibrate(turn: (rate: number, seconds: number) => Promise<HalfLoad>, maxRate: number): Promise<number> {
  let rate = Math.min(firstRate, maxRate);
  for (let count = 0; count < maxCalibrations; count++) {
    const { measuredShare, otherShare } = await turn(rate, calibrationSeconds);
    const busy = Math.max(measuredShare, otherShare);
    if (Math.abs(busy - share) <= tolerance) break;
    rate = Math.min(maxRate, rate * Math.min(2, Math.max(0.5, share / busy)));
  }
  return rate;
}

async function askAt(load: Child, subject: Subject, behind: readonly number[], seconds: number): Promise<HalfLoad> {
  const others = [load.pid, ...behind];
  const othersMs = () => others.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const [measuredBefore, othersBefore] = [cpuMs(subject.pid), othersMs()];
  const result = await ask(load, subject, seconds);
  const elapsedMs = result.seconds * 1_000;
  return {
    requestsPerSecond: result.requests / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    measuredShare: (cpuMs(subject.pid) - measuredBefore) / elapsedMs,
    otherShare: (othersMs() - othersBefore) / elapsedMs,
  };
}
