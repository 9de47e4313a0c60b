import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Linux counts CPU time in hundredths of a second. */
const tickMs = 10;

/** User and system time so far, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Resident megabytes. */
export function rssMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** Peak, in megabytes. */
export function peakRssMb(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

function statusMb(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

/** Cores of the measured process, and of load and dependencies. */
export const measuredCore = 0;
export const loadCore = availableParallelism() > 1 ? 1 : 0;

/** BENCH_NICE (-20 to 19; below 0 needs root) sets the priority, for busy machines. */
export function pin(pid: number, core: number | 'any'): void {
  const cores = core === 'any' ? `0-${availableParallelism() - 1}` : `${core}`;
  execFileSync('taskset', ['-acp', cores, `${pid}`], { stdio: 'ignore' });
  const nice = process.env.BENCH_NICE;
  if (nice === undefined) return;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    execFileSync('renice', ['-n', nice, '-p', thread], { stdio: 'ignore' });
  }
  prioritiseSession(pid, nice);
}

/** For this process's session. */
export function prioritise(): void {
  const nice = process.env.BENCH_NICE;
  if (nice !== undefined) prioritiseSession('self', nice);
}

/** Linux schedules sessions before processes, and some processes have their own session. */
function prioritiseSession(pid: number | 'self', nice: string): void {
  const file = `/proc/${pid}/autogroup`;
  if (existsSync(file)) writeFileSync(file, nice);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
