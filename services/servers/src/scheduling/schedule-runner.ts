import { randomUUID } from 'node:crypto';
import type { ActivityLog } from '@panel/activity';
import { createConcurrencyLimiter } from '@panel/kit/async';
import type { Failpoint, Jobs, Logger, TaskGroup } from '@panel/kit/process';
import {
  afterTask,
  beginRun,
  end,
  endOfSwitchedOff,
  maxLatenessMs,
  notRunnable,
  resultOf,
  startTask,
  withoutRemoved,
} from '../domain/schedules/run.js';
import { type EndedRun, type Schedule, type ScheduleRun, taskPermission } from '../domain/schedules/schedule.js';
import type { GameServer } from '../domain/servers/server.js';
import type { Stores } from '../models/stores.js';
import type { RunStep } from '../models/schedules/schedule.js';
import { nextRunTime } from '../domain/schedules/cron.js';
import type { HoldsPermission } from './dependencies.js';
import { errorText, runTask, type TaskDeps } from './run-task.js';

interface ScheduleRunnerDeps extends TaskDeps {
  readonly stores: Pick<Stores, 'schedules' | 'servers'>;
  readonly clock: () => Date;
  readonly holdsPermission: HoldsPermission;
  readonly activity: Pick<ActivityLog, 'record'>;
  readonly tasks: TaskGroup;
  readonly attempt: Jobs['attempt'];
  readonly failpoint: Failpoint;
  readonly log: Logger;
}

/** Schedules per query. */
const batchSize = 500;
/** Concurrent runs; a task waits for MongoDB, Redis or an engine. */
const maxRuns = 128;

/**
 * Runs due schedules on every replica. Conditional updates claim ticks and tasks: each runs once, or at most once if
 * its worker dies.
 */
export class ScheduleRunner {
  readonly #limiter = createConcurrencyLimiter({ concurrency: maxRuns });

  constructor(private readonly deps: ScheduleRunnerDeps) {}

  /** Resolves when all due work is claimed; runs continue. */
  async tick(signal?: AbortSignal): Promise<void> {
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
  }

  /** Continues a run that the caller has started. */
  execute(schedule: Schedule, run: ScheduleRun): void {
    this.deps.tasks.run('run schedule', async () => this.#work(schedule, run));
  }

  async #claimAll(
    find: (at: Date) => Promise<Schedule[]>,
    claim: (schedule: Schedule, at: Date) => Promise<ScheduleRun | null>,
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
  async #claimOne(schedule: Schedule, claim: () => Promise<ScheduleRun | null>): Promise<boolean> {
    return new Promise((resolve) => {
      this.deps.tasks.run('run schedule', async () =>
        this.#limiter.run(async () => {
          const found: { run: ScheduleRun | null } = { run: null };
          await this.deps.attempt('run-schedules', schedule.id, async () => {
            found.run = await claim();
          });
          resolve(found.run !== null);
          if (found.run?.phase === 'executing') await this.#work(schedule, found.run);
        }),
      );
    });
  }

  /** Null: another replica won, or the tick is skipped. */
  async #claimTick(schedule: Schedule, at: Date): Promise<ScheduleRun | null> {
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
    return run;
  }

  #skipReason({ run, nextRunAt, tasks }: Schedule, at: Date): string | null {
    if (run !== null) return 'the run before was still in progress';
    if (tasks.length === 0) return 'the schedule has no tasks';
    const isLate = nextRunAt !== null && at.getTime() - nextRunAt.getTime() > maxLatenessMs;
    return isLate ? 'the panel was not running at this time' : null;
  }

  /** A due task, or one of a dead worker. */
  async #claimStep(schedule: Schedule, at: Date): Promise<ScheduleRun | null> {
    const { run } = schedule;
    if (!run) return null;
    if (run.phase === 'executing') {
      const result = resultOf(run, 'interrupted', 'the panel stopped while this task ran', at);
      return this.#record(schedule, run, afterTask(run, result));
    }
    if (!schedule.isActive && run.cause === 'trigger') return this.#end(schedule, run, endOfSwitchedOff(run, at));
    const changed = withoutRemoved(run, schedule.tasks, at);
    if (changed) {
      const continued = await this.#record(schedule, run, changed);
      return continued?.phase === 'executing' ? continued : null;
    }
    const started = startTask(run, at);
    // only if the schedule is as it was read
    const isStarted = await this.deps.stores.schedules.advance(schedule.id, run, started, schedule.revision);
    return isStarted ? started : null;
  }

  /** Runs tasks until the end or a wait. */
  async #work(schedule: Schedule, started: ScheduleRun): Promise<void> {
    let run: ScheduleRun | null = started;
    while (run?.phase === 'executing') run = await this.#step(schedule, run);
  }

  async #step(schedule: Schedule, run: ScheduleRun): Promise<ScheduleRun | null> {
    const { stores, clock, failpoint } = this.deps;
    const server = await stores.servers.getJoined(schedule.serverId);
    if (!server) {
      // Created during its server's deletion.
      await stores.schedules.deleteOfServer(schedule.serverId);
      return null;
    }
    const refusal = run.position === 0 ? notRunnable(server, run) : null;
    if (refusal !== null) return this.#end(schedule, run, end(run, 'skipped', refusal, clock()));
    const outcome = await this.#outcome(schedule, server, run);
    if ('missing' in outcome) return this.#stop(schedule, run, outcome.missing);
    failpoint('schedule.executed');
    const status = outcome.error === null ? 'succeeded' : 'failed';
    return this.#record(schedule, run, afterTask(run, resultOf(run, status, outcome.error, clock())));
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
  async #stop(schedule: Schedule, run: ScheduleRun, permission: string): Promise<null> {
    const isAuthor = run.authorId === schedule.authorId;
    const who = run.cause === 'manual' ? 'the user who executed it' : 'its author';
    const why = `${who} no longer holds ${permission} on this server`;
    const at = this.deps.clock();
    const results = [...run.results, resultOf(run, 'failed', why, at)];
    const text = isAuthor ? `${why}; the schedule was deactivated` : why;
    return this.#end(schedule, run, end({ ...run, results }, 'failed', text, at), isAuthor);
  }

  async #record(schedule: Schedule, from: RunStep, step: ReturnType<typeof afterTask>): Promise<ScheduleRun | null> {
    if ('ended' in step) return this.#end(schedule, from, step.ended);
    return (await this.deps.stores.schedules.advance(schedule.id, from, step.next)) ? step.next : null;
  }

  async #end(schedule: Schedule, from: RunStep, ended: EndedRun, deactivate = false): Promise<null> {
    if (!(await this.deps.stores.schedules.endRun(schedule.id, from, ended, deactivate))) return null;
    // Other runs are only in the run history: entries would bury user activity.
    if (ended.status !== 'failed') return null;
    const { id, serverId, name } = schedule;
    const properties = { schedule_id: id, name, error: ended.error ?? '' };
    await this.deps.activity.record({ event: 'server:schedule.fail', serverId, properties }, null, ended.id);
    return null;
  }
}

function rotate<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
