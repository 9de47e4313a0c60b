import { randomUUID } from 'node:crypto';
import type { ActivityLog } from '@panel/activity';
import { createConcurrencyLimiter, firstOf } from '@panel/kit/async';
import type { Failpoint, Jobs, Logger, TaskGroup } from '@panel/kit/process';
import {
  afterTask,
  beginRun,
  end,
  maxLatenessMs,
  notRunnable,
  resultOf,
  type RunChange,
  startTask,
  withoutRemoved,
} from '../domain/schedules/run.js';
import { type EndedRun, type Schedule, type ScheduleRun, taskPermission } from '../domain/schedules/schedule.js';
import type { GameServer } from '../domain/servers/server.js';
import type { Stores } from '../models/stores.js';
import { nextRunTime } from '../domain/schedules/cron.js';
import type { HoldsPermission } from './dependencies.js';
import { errorText, runTask, type TaskDeps } from './run-task.js';

interface ScheduleRunnerDeps extends TaskDeps {
  readonly stores: Pick<Stores, 'schedules' | 'servers'>;
  readonly clock: () => Date;
  /** See `TestClock`. */
  readonly reached: (due: Date) => Date;
  readonly holdsPermission: HoldsPermission;
  readonly activity: Pick<ActivityLog, 'record'>;
  readonly tasks: TaskGroup;
  readonly attempt: Jobs['attempt'];
  readonly failpoint: Failpoint;
  readonly log: Logger;
}

interface Claimed {
  readonly schedule: Schedule;
  readonly run: ScheduleRun;
}

/** Schedules per query. */
const batchSize = 500;
/** Concurrent runs; a task waits for MongoDB, Redis or an engine. */
const maxRuns = 128;
/** A moved clock waits for runs as long. */
const longestRunMs = 60_000;

/**
 * Runs due schedules on every replica. Conditional updates claim ticks and tasks: each runs once, or at most once if
 * its worker dies.
 */
export class ScheduleRunner {
  /** In progress. */
  readonly #runs = new Set<Promise<void>>();
  readonly #limiter = createConcurrencyLimiter({ concurrency: maxRuns });

  constructor(private readonly deps: ScheduleRunnerDeps) {}

  /** Resolves when all due work is claimed; runs continue, unless `awaitsRuns`. */
  async tick(signal?: AbortSignal, awaitsRuns = false): Promise<void> {
    const { schedules } = this.deps.stores;
    await this.#claimAll(
      async (at) => schedules.due(at, batchSize),
      async (schedule, at) => this.#claimTick(schedule, at),
      signal,
    );
    await this.#claimAll(
      async (at) => schedules.dueRuns(at, batchSize),
      async (schedule, at) => this.#claimStep(schedule, at),
      signal,
    );
    if (awaitsRuns) await firstOf(Promise.all(this.#runs), longestRunMs, undefined);
  }

  /** Continues a run that the caller has started. */
  execute(schedule: Schedule, run: ScheduleRun): void {
    this.deps.tasks.run('run schedule', async () => this.#keep(this.#work({ schedule, run })));
  }

  async #claimAll(
    find: (at: Date) => Promise<Schedule[]>,
    claim: (schedule: Schedule, at: Date) => Promise<Claimed | null>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (;;) {
      const at = this.deps.clock();
      const due = await find(at);
      // Replicas find the same ones: each begins elsewhere.
      const claims = rotate(due, Math.floor(Math.random() * due.length)).map(async (schedule) =>
        this.#claimOne(schedule, async () => (signal?.aborted ? null : claim(schedule, at))),
      );
      const isAnyClaimed = (await Promise.all(claims)).includes(true);
      if (due.length < batchSize || !isAnyClaimed || signal?.aborted) return;
    }
  }

  /** Claims while fewer than `maxRuns` are in progress; the run counts until its end. True if claimed. */
  async #claimOne(schedule: Schedule, claim: () => Promise<Claimed | null>): Promise<boolean> {
    return new Promise((resolve) => {
      this.deps.tasks.run('run schedule', async () =>
        this.#limiter.run(async () => {
          const found: { claimed: Claimed | null } = { claimed: null };
          await this.deps.attempt('run-schedules', schedule.id, async () => {
            found.claimed = await claim();
          });
          resolve(found.claimed !== null);
          await this.#keep(this.#work(found.claimed));
        }),
      );
    });
  }

  /** Null: another replica won, or the tick is skipped. */
  async #claimTick(schedule: Schedule, at: Date): Promise<Claimed | null> {
    const { schedules } = this.deps.stores;
    const run = beginRun(schedule, { id: randomUUID(), cause: 'trigger', at });
    const next = nextRunTime(schedule, at);
    const skip = this.#skipReason(schedule, at);
    if (skip !== null) {
      await schedules.skipTick(schedule, next, end(run, 'skipped', skip, at));
      return null;
    }
    if (!(await schedules.startRun(schedule, run, next))) return null;
    this.deps.failpoint('schedule.claimed');
    return { schedule, run };
  }

  #skipReason({ run, nextRunAt, tasks }: Schedule, at: Date): string | null {
    if (run !== null) return 'the run before was still in progress';
    if (tasks.length === 0) return 'the schedule has no tasks';
    const isLate = nextRunAt !== null && at.getTime() - this.deps.reached(nextRunAt).getTime() > maxLatenessMs;
    return isLate ? 'the panel was not running at this time' : null;
  }

  /** A due task, or one of a dead worker. */
  async #claimStep(schedule: Schedule, at: Date): Promise<Claimed | null> {
    const { run } = schedule;
    if (!run) return null;
    if (run.phase === 'executing') {
      const result = resultOf(run, 'interrupted', 'the panel stopped while this task ran', at);
      return this.#record({ schedule, run }, (current) => afterTask(current.run, result, current.schedule.tasks));
    }
    return this.#record(
      { schedule, run },
      (current) => withoutRemoved(current.run, current.schedule.tasks, at) ?? { next: startTask(current.run, at) },
    );
  }

  async #keep(run: Promise<void>): Promise<void> {
    this.#runs.add(run);
    try {
      await run;
    } finally {
      this.#runs.delete(run);
    }
  }

  /** Runs tasks until the end or a wait. */
  async #work(started: Claimed | null): Promise<void> {
    let claimed = started;
    while (claimed?.run.phase === 'executing') claimed = await this.#step(claimed);
  }

  async #step(claimed: Claimed): Promise<Claimed | null> {
    const { schedule, run } = claimed;
    const { stores, clock, failpoint } = this.deps;
    const server = await stores.servers.getJoined(schedule.serverId);
    if (!server) {
      // Created during its server's deletion.
      await stores.schedules.deleteOfServer(schedule.serverId);
      return null;
    }
    const refusal = run.position === 0 ? notRunnable(server, run) : null;
    if (refusal !== null) {
      return this.#record(claimed, (current) => ({ ended: end(current.run, 'skipped', refusal, clock()) }));
    }
    const outcome = await this.#outcome(schedule, server, run);
    if ('missing' in outcome) return this.#stop(claimed, outcome.missing);
    failpoint('schedule.executed');
    const result = resultOf(run, outcome.error === null ? 'succeeded' : 'failed', outcome.error, clock());
    return this.#record(claimed, (current) => afterTask(current.run, result, current.schedule.tasks));
  }

  async #outcome(
    schedule: Schedule,
    server: GameServer,
    run: ScheduleRun,
  ): Promise<{ readonly missing: string } | { readonly error: string | null }> {
    try {
      const missing = await this.#missingPermission(server, run);
      if (missing !== null) return { missing };
      await this.#runTask(schedule, server, run);
      return { error: null };
    } catch (error) {
      this.deps.log.info({ err: error, scheduleId: schedule.id, serverId: server.id }, 'a task of a schedule failed');
      return { error: errorText(error) };
    }
  }

  async #runTask(schedule: Schedule, server: GameServer, run: ScheduleRun): Promise<void> {
    const task = run.tasks[run.position];
    if (task) await runTask(this.deps, server, task, { scheduleName: schedule.name, authorId: run.authorId });
  }

  /** Null: the author holds it. */
  async #missingPermission(server: GameServer, run: ScheduleRun): Promise<string | null> {
    const task = run.tasks[run.position];
    if (!task) return null;
    const needed = taskPermission(task);
    return (await this.deps.holdsPermission(server, run.authorId, needed)) ? null : needed;
  }

  /** Without its author's permission a schedule stops until a user with it saves the schedule. */
  async #stop(claimed: Claimed, permission: string): Promise<null> {
    const at = this.deps.clock();
    await this.#record(claimed, ({ schedule, run }) => {
      const deactivates = run.authorId === schedule.authorId;
      const who = run.cause === 'manual' ? 'the user who executed it' : 'its author';
      const why = `${who} no longer holds ${permission} on this server`;
      const results = [...run.results, resultOf(run, 'failed', why, at)];
      const text = deactivates ? `${why}; the schedule was deactivated` : why;
      return { ended: end({ ...run, results }, 'failed', text, at), deactivates };
    });
    return null;
  }

  /**
   * Null: the run has ended, or belongs to another replica. Decides again when a user has changed the schedule or
   * cancelled the run since it was read.
   */
  async #record(
    claimed: Claimed,
    decide: (current: Claimed) => RunChange & { readonly deactivates?: boolean },
  ): Promise<Claimed | null> {
    const { schedules } = this.deps.stores;
    const change = decide(claimed);
    if ('next' in change) {
      if (await schedules.advance(claimed, change.next)) return { schedule: claimed.schedule, run: change.next };
    } else if (await schedules.endRun(claimed, change.ended, change.deactivates ?? false)) {
      await this.#recordFailure(claimed.schedule, change.ended);
      return null;
    }
    const changed = await this.#readAgain(claimed);
    return changed && this.#record(changed, decide);
  }

  /** Null: unchanged by users, or at another step. */
  async #readAgain({ schedule, run }: Claimed): Promise<Claimed | null> {
    const current = await this.deps.stores.schedules.get(schedule.id);
    if (!current?.run || current.revision === schedule.revision) return null;
    const { id, position, phase, dueAt } = current.run;
    const isSameStep = id === run.id && position === run.position && phase === run.phase;
    return isSameStep && dueAt.getTime() === run.dueAt.getTime() ? { schedule: current, run: current.run } : null;
  }

  /** Other runs are only in the run history: entries would bury user activity. */
  async #recordFailure({ id, serverId, name }: Schedule, ended: EndedRun): Promise<void> {
    if (ended.status !== 'failed') return;
    const properties = { schedule_id: id, name, error: ended.error ?? '' };
    await this.deps.activity.record({ event: 'server:schedule.fail', serverId, properties }, null, ended.id);
  }
}

function rotate<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
