import type { TaskGroup } from '@panel/kit/process';
import { createDoneMatcher, type DoneMatcher } from '../domain/eggs/done.js';
import type { Schedule } from '../domain/schedules/schedule.js';
import type { ScheduleStore } from '../models/schedules/schedule.js';

interface Watched {
  readonly scheduleId: string;
  readonly emptyMs: number;
  readonly joins: DoneMatcher;
  readonly leaves: DoneMatcher;
}

interface PlayerWatchDeps {
  readonly schedules: Pick<ScheduleStore, 'watchingPlayers' | 'countPlayer'>;
  readonly tasks: TaskGroup;
  readonly clock: () => Date;
}

/** Counts players for `players_empty` schedules, from the consoles of this replica. */
export class PlayerWatch {
  #byServer = new Map<string, Watched[]>();
  readonly #writes = new Map<string, Promise<void>>();

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
    const before = this.#writes.get(scheduleId) ?? Promise.resolve();
    this.deps.tasks.run('count players', async () => {
      const write = before.then(async () => this.deps.schedules.countPlayer(scheduleId, generation, change, emptyAt));
      const ended = write.catch(() => undefined);
      this.#writes.set(scheduleId, ended);
      try {
        await write;
      } finally {
        if (this.#writes.get(scheduleId) === ended) this.#writes.delete(scheduleId);
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
