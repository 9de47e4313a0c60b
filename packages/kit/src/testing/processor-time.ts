import { readFileSync } from 'node:fs';

/**
 * Milliseconds of processor time of this process so far. Bounds on a computation hold in it beside any load: on
 * a busy machine the clock goes on while the process waits.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Of the processor time that this process spends on `work`, the part of the thread of the event loop: 0 to 1. */
export async function eventLoopShare(work: () => Promise<unknown>): Promise<number> {
  const [all, own] = [processorMs(), eventLoopMs()];
  await work();
  return (eventLoopMs() - own) / (processorMs() - all);
}

/** Its first field is the thread's time on a processor, in nanoseconds. */
function eventLoopMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
}
