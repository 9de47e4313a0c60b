import { readdirSync, readFileSync } from 'node:fs';

/**
 * From /proc (proc(5)). Synchronous, because no disk is involved. Imports nothing but Node, because every game's shim
 * loads it.
 */
export interface ProcessEntry {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  /** Of itself and its waited-for children. */
  readonly cpuTicks: number;
  /** Since boot: with the pid it identifies one process. */
  readonly startTicks: number;
}

/** USER_HZ: 100 on every architecture of Node. */
export const ticksPerSecond = 100;

export function readProcess(pid: number): ProcessEntry | null {
  const text = readProcFile(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field, a name in brackets, may hold brackets and spaces.
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

export function readProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((entry) => entry !== null)
    .filter((entry) => !['Z', 'X', 'x'].includes(entry.state));
}

/** The leader's session and descendants, without the leader. */
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

/** Resident bytes, 0 when the process has gone. */
export function residentBytes(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readProcFile(`/proc/${pid}/status`) ?? '')?.[1];
  return kb === undefined ? 0 : Number(kb) * 1024;
}

/** Changes at every boot, which voids earlier pids. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** After SIGSTOP, because none may fork meanwhile. */
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

/** A file of /proc, null when gone or forbidden. */
export function readProcFile(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES')) return null;
    throw error;
  }
}
