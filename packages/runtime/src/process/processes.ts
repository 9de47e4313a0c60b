import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processes of this machine as /proc shows them (proc(5)). Read synchronously: these files are made up by the kernel and
 * never wait for a disk. Nothing here may import more than Node: the shim of every game loads it.
 */
export interface ProcessEntry {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  /** Of itself and the children it has waited for, in ticks. */
  readonly cpuTicks: number;
  /** Since boot, in ticks: with the pid it names one process for ever. */
  readonly startTicks: number;
}

/** USER_HZ: part of the kernel's ABI, 100 on every architecture Node runs on. */
export const ticksPerSecond = 100;

/** One process, or null when there is none. */
export function readProcess(pid: number): ProcessEntry | null {
  const text = readProcFile(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the program's name in brackets and may hold anything, brackets and spaces too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    pid,
    state: fields[0] ?? '',
    parent: field(4),
    session: field(6),
    cpuTicks: field(14) + field(15) + field(16) + field(17),
    startTicks: field(22),
  };
}

/** All processes that are not dead. */
export function readProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((entry) => entry !== null)
    .filter((entry) => !['Z', 'X', 'x'].includes(entry.state));
}

/** Those in the session led by `leader` and those descended from it, the leader left out. */
export function membersOf(leader: number, all: readonly ProcessEntry[]): ProcessEntry[] {
  const known = new Set([leader]);
  const members: ProcessEntry[] = [];
  let grew = true;
  while (grew) {
    grew = false;
    for (const entry of all) {
      if (known.has(entry.pid) || (entry.session !== leader && !known.has(entry.parent))) continue;
      known.add(entry.pid);
      members.push(entry);
      grew = true;
    }
  }
  return members;
}

/** Resident memory in bytes, 0 when the process has gone. */
export function residentBytes(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readProcFile(`/proc/${pid}/status`) ?? '')?.[1];
  return kb === undefined ? 0 : Number(kb) * 1024;
}

/** Changes with every boot: what a pid meant before the last one is void. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** Send a signal. A process that has gone is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** SIGKILL all members. Stopped first, so that none can fork while the others are looked up. */
export function killMembers(leader: number): void {
  for (let round = 0; round < 20; round += 1) {
    const members = membersOf(leader, readProcesses());
    if (members.length === 0) return;
    for (const { pid } of members) sendSignal(pid, 'SIGSTOP');
    for (const { pid } of members) sendSignal(pid, 'SIGKILL');
  }
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && codes.includes(code);
}

/** A file of /proc, or null when what it is about has gone or is not ours to see. */
export function readProcFile(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES')) return null;
    throw error;
  }
}
