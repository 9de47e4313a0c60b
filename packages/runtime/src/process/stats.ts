import { totalmem } from 'node:os';
import { pause } from '@panel/kit/async';
import type { InstanceStats, UsageSample } from '../runtime.js';
import type { Game, Games } from './games.js';
import { membersOf, readProcesses, residentBytes, ticksPerSecond, type ProcessEntry } from './processes.js';

const everyMs = 1000;
/** Longer than `shareMs`, for two distinct samples. */
const firstSpanMs = 300;
const shareMs = 250;

/** Games measured at once share one sample. */
export class ProcessTable {
  private entries: ProcessEntry[] = [];
  private readAt = Number.NEGATIVE_INFINITY;

  read(): ProcessEntry[] {
    const now = performance.now();
    if (now - this.readAt > shareMs) {
      this.entries = readProcesses();
      this.readAt = now;
    }
    return this.entries;
  }
}

/** Once a second until the game ends, without its shim and network use. */
export async function* readGameStats(
  games: Games,
  game: Game,
  table: ProcessTable,
  signal: AbortSignal,
): AsyncGenerator<InstanceStats> {
  let before: { ticks: number; at: number } | null = null;
  while (!signal.aborted) {
    const now = games.find(game.stored.serverId);
    if (now?.stored.run !== game.stored.run || now.state?.state !== 'running') return;
    const members = membersOf(now.state.shim.pid, table.read());
    const sample = { ticks: members.reduce((sum, member) => sum + member.cpuTicks, 0), at: performance.now() };
    if (!before) {
      before = sample;
      await pause(firstSpanMs, signal);
      continue;
    }
    yield {
      generation: game.stored.generation,
      cpuPercent: cpuPercent(before, sample),
      memoryBytes: members.reduce((sum, member) => sum + residentBytes(member.pid), 0),
      memoryLimitBytes: totalmem(),
      networkRxBytes: 0,
      networkTxBytes: 0,
      uptimeMs: Math.max(0, Date.now() - now.state.startedAt),
      at: new Date(),
    };
    before = sample;
    await pause(everyMs, signal);
  }
}

export function sampleGame(games: Games, serverId: string, table: ProcessTable): UsageSample | null {
  const { stored, state } = games.find(serverId) ?? {};
  if (!stored || state?.state !== 'running') return null;
  const members = membersOf(state.shim.pid, table.read());
  return {
    run: stored.run,
    cpuMs: (members.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) / ticksPerSecond) * 1_000,
    memoryBytes: members.reduce((sum, { pid }) => sum + residentBytes(pid), 0),
    networkRxBytes: 0,
    networkTxBytes: 0,
    at: new Date(),
  };
}

/** 100 is one core. Never negative, although ended processes take their time along. */
function cpuPercent(before: { ticks: number; at: number }, now: { ticks: number; at: number }): number {
  const seconds = (now.at - before.at) / 1000;
  return seconds > 0 ? Math.max(0, ((now.ticks - before.ticks) / ticksPerSecond / seconds) * 100) : 0;
}
