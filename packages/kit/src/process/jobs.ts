import { Counter, Gauge } from 'prom-client';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { pause } from '../async/pause.js';

export interface Job {
  /** Label in metrics and logs, unique: kebab-case, verb first, like "send-mails". */
  readonly name: string;
  readonly intervalMs: number;
  /** For one replica at a time. Without it every replica runs the job. */
  readonly lease?: (run: () => Promise<void>) => Promise<unknown>;
  /** False: nothing becomes due by the time of the installation, so that `Jobs.rush` leaves it out. */
  readonly isTimed?: false;
  /** Failures are logged and counted; the next run follows after the interval. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
}

/** With metrics of last runs, durations and failures. */
export interface Jobs {
  /** The first run is immediate. Throws TypeError for a name in use. */
  start(jobs: readonly Job[]): void;
  /** After a run in progress, another follows. Does nothing for a job that does not run in this process. */
  runNow(name: string): void;
  /**
   * After a moved clock: runs every timed job. Resolves once each has ended a run that began later than this call, and none
   * runs or is to run at once; at `stop` earlier.
   */
  rush(): Promise<void>;
  /** One item's part of a job. A failure is logged and counted. True on success. */
  attempt(job: string, itemId: string, work: () => Promise<unknown>): Promise<boolean>;
  stop(): Promise<void>;
}

interface JobsOptions {
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly clock: () => Date;
}

interface ScheduledJob {
  readonly job: Job;
  /** Aborted: runs at once, or again after the run in progress. */
  wake: AbortController;
  isRunning: boolean;
}

export function createJobs({ log, metrics, clock }: JobsOptions): Jobs {
  const measures = jobMetrics(metrics.registry);
  const stopping = new AbortController();
  const scheduled = new Map<string, ScheduledJob>();
  const loops: Promise<void>[] = [];
  const rushes = new Set<() => void>();

  const runMeasured = async ({ name, run }: Job) => {
    const startedAt = performance.now();
    measures.running.set({ job: name }, 1);
    measures.lastRun.set({ job: name }, clock().getTime() / 1_000);
    try {
      await run(stopping.signal);
      measures.runs.inc({ job: name, outcome: 'success' });
    } catch (error) {
      if (stopping.signal.aborted) return;
      measures.runs.inc({ job: name, outcome: 'failure' });
      log.error({ err: error, job: name }, 'a periodic job failed');
    } finally {
      measures.running.set({ job: name }, 0);
      measures.duration.set({ job: name }, (performance.now() - startedAt) / 1_000);
    }
  };
  const runLeased = async (job: Job) => {
    try {
      await (job.lease ? job.lease(async () => runMeasured(job)) : runMeasured(job));
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error, job: job.name }, 'the lease of a periodic job failed');
    }
  };
  const loop = async (entry: ScheduledJob) => {
    while (!stopping.signal.aborted) {
      entry.wake = new AbortController();
      entry.isRunning = true;
      await runLeased(entry.job);
      entry.isRunning = false;
      for (const check of rushes) check();
      if (!stopping.signal.aborted) await pause(entry.job.intervalMs, entry.wake.signal);
    }
  };
  const rush = async (): Promise<void> => {
    const rushed = [...scheduled.values()].filter(({ job }) => job.isTimed !== false);
    const isDone = () =>
      stopping.signal.aborted || rushed.every(({ wake, isRunning }) => !isRunning && !wake.signal.aborted);
    for (const { wake } of rushed) wake.abort();
    await new Promise<void>((resolve) => {
      const check = () => {
        if (!isDone()) return;
        rushes.delete(check);
        resolve();
      };
      rushes.add(check);
      check();
    });
  };
  return {
    start: (jobs) => {
      for (const job of jobs) {
        if (scheduled.has(job.name)) throw new TypeError(`two jobs are named ${job.name}`);
        const entry = { job, wake: new AbortController(), isRunning: false };
        scheduled.set(job.name, entry);
        measures.runs.inc({ job: job.name, outcome: 'failure' }, 0);
        measures.itemFailures.inc({ job: job.name }, 0);
        loops.push(loop(entry));
      }
    },
    runNow: (name) => scheduled.get(name)?.wake.abort(),
    rush,
    attempt: async (job, itemId, work) => {
      try {
        await work();
        return true;
      } catch (error) {
        if (stopping.signal.aborted) return false;
        measures.itemFailures.inc({ job });
        log.error({ err: error, job, itemId }, 'a periodic job failed for one item');
        return false;
      }
    },
    stop: async () => {
      stopping.abort(new Error('stopping'));
      for (const { wake } of scheduled.values()) wake.abort();
      for (const check of rushes) check();
      await Promise.all(loops);
    },
  };
}

function jobMetrics(registry: Metrics['registry']) {
  const registers = [registry];
  const labelNames = ['job'];
  return {
    runs: new Counter({
      name: 'job_runs_total',
      help: 'Ended runs of periodic jobs by outcome (success, failure).',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    itemFailures: new Counter({
      name: 'job_item_failures_total',
      help: 'Items for which a run of a periodic job failed, while it went on with the others.',
      labelNames,
      registers,
    }),
    running: new Gauge({ name: 'job_running', help: '1 while the job runs.', labelNames, registers }),
    lastRun: new Gauge({
      name: 'job_last_run_timestamp_seconds',
      help: 'Unix time at which the last run of the job started.',
      labelNames,
      aggregator: 'max',
      registers,
    }),
    duration: new Gauge({
      name: 'job_last_run_duration_seconds',
      help: 'Duration of the last ended run of the job.',
      labelNames,
      aggregator: 'max',
      registers,
    }),
  };
}
