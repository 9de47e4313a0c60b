import { setTimeout as wait } from 'node:timers/promises';
import type { TaskGroup } from '@panel/kit/process';
import { createDoneMatcher, type DoneMatcher } from '../domain/eggs/done.js';
import type { Schedule } from '../domain/schedules/schedule.js';
import type { PlayerCount, ScheduleStore } from '../models/schedules/schedule.js';

interface Watched {
  readonly scheduleId: string;
  readonly emptyMs: number;
  readonly joins: DoneMatcher;
  readonly leaves: DoneMatcher;
}

interface PlayerWatchDeps {
  readonly schedules: Pick<ScheduleStore, 'watchingPlayers' | 'countPlayers'>;
  readonly tasks: TaskGroup;
  readonly clock: () => Date;
}

const writeMs = 1_000;

/** Counts players for `players_empty` schedules, from the consoles of this replica. Writes each schedule once a second. */
export class PlayerWatch {
  #byServer = new Map<string, Watched[]>();
  readonly #waiting = new Map<string, PlayerCount>();
  readonly #writing = new Set<string>();

  constructor(private readonly deps: PlayerWatchDeps) {}

  async refresh(): Promise<void> {
    const byServer = new Map<string, Watched[]>();
    for (const schedule of await this.deps.schedules.watchingPlayers()) {
      byServer.set(schedule.serverId, [...(byServer.get(schedule.serverId) ?? []), watchedOf(schedule)]);
    }
    this.#byServer = byServer;
  }

  /** Called for each console line of all games. */
  onLine(serverId: string, generation: number, text: string): void {
    for (const { scheduleId, emptyMs, joins, leaves } of this.#byServer.get(serverId) ?? []) {
      const change = joins.matches(text) ? 1 : leaves.matches(text) ? -1 : 0;
      if (change !== 0) this.#count(scheduleId, generation, change, new Date(this.deps.clock().getTime() + emptyMs));
    }
  }

  /** In line order. */
  #count(scheduleId: string, generation: number, change: 1 | -1, emptyAt: Date): void {
    const before = this.#waiting.get(scheduleId);
    const same = before?.generation === generation ? before : { change: 0, least: 0 };
    const least = Math.max(0, same.least + change);
    this.#waiting.set(scheduleId, { generation, change: same.change + change, least, emptyAt });
    if (!this.#writing.has(scheduleId)) this.#write(scheduleId);
  }

  /** The first line at once, what follows in one write a second, also after one that has failed. */
  #write(scheduleId: string): void {
    const count = this.#waiting.get(scheduleId);
    if (!count) return;
    this.#waiting.delete(scheduleId);
    this.#writing.add(scheduleId);
    this.deps.tasks.run('count players', async (stopping) => {
      try {
        await this.deps.schedules.countPlayers(scheduleId, count);
      } finally {
        await wait(writeMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
        this.#writing.delete(scheduleId);
        this.#write(scheduleId);
      }
    });
  }
}

function watchedOf({ id, trigger }: Pick<Schedule, 'id' | 'trigger'>): Watched {
  const matcher = (pattern: string) => createDoneMatcher({ startupDone: [pattern], startupStripAnsi: true });
  return {
    scheduleId: id,
    emptyMs: trigger.emptyMinutes * 60_000,
    joins: matcher(trigger.joinPattern),
    leaves: matcher(trigger.leavePattern),
  };
}
