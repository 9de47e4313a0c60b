import type { Jobs } from '../process/jobs.js';
import type { Logger } from '../process/logger.js';
import type { TaskGroup } from '../process/task-group.js';
import { raceAbort } from '../async/abort.js';
import { firstOf } from '../async/first-of.js';
import { holdLease, type Lease } from './lease.js';
import { type MonotonicClock, monotonicClock } from '../async/monotonic-clock.js';

/** Work of one kind, stored until a process leases it. */
export interface LeasedWork<C> {
  /** The job that calls `tick`, for failure metrics. */
  readonly job: string;
  readonly concurrency: number;
  readonly ttlMs: number;
  /** With a free lease, longest waiting first. */
  readonly waiting: (limit: number) => Promise<readonly string[]>;
  /** Null when another process was faster. */
  readonly claim: (id: string) => Promise<C | null>;
  readonly renew: (claimed: C) => Promise<boolean>;
  /** Returns the lease to the store. Stops when `lease.signal` aborts. */
  readonly run: (claimed: C, lease: Lease) => Promise<void>;
  /**
   * After a failed `run` or at process stop: returns the lease at once or later, or lets it expire. Errors are logged
   * and counted. Not called after a lost lease.
   */
  readonly giveBack: (claimed: C, failure: RunFailure) => Promise<void>;
}

export interface RunFailure {
  readonly error: unknown;
  readonly isStopping: boolean;
}

interface LeasedWorkerDeps {
  readonly tasks: TaskGroup;
  readonly attempt: Jobs['attempt'];
  readonly log: Logger;
  readonly clock?: MonotonicClock;
}

/** Time for work to end before its lease is returned. */
const stopGraceMs = 2_000;

/** `sentAt`: monotonic, before the claim was sent. */
interface Claim<C> {
  readonly claimed: C;
  readonly sentAt: number;
}

interface Run {
  lease: Lease | null;
  readonly done: Promise<void>;
}

/**
 * With bounded concurrency. A dead process's item is claimed again after its lease expires. The stop of `tasks` awaits
 * runs.
 */
export class LeasedWorker<C> {
  readonly #running = new Map<string, Run>();

  constructor(
    private readonly work: LeasedWork<C>,
    private readonly deps: LeasedWorkerDeps,
  ) {}

  async tick(): Promise<void> {
    const { waiting, concurrency } = this.work;
    if (this.#running.size >= concurrency) return;
    for (const id of await waiting(concurrency)) {
      if (this.#running.size >= concurrency) return;
      if (!this.#running.has(id)) this.#start(id);
    }
  }

  /** Or joins its run, and lets `claim` expire. Resolves at its end or after `patienceMs`. */
  async runNow(id: string, patienceMs: number, claim?: Claim<C>): Promise<void> {
    await firstOf((this.#running.get(id) ?? this.#start(id, claim)).done, patienceMs, undefined);
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Before its next renewal, because another process has the lease. */
  cancel(id: string): void {
    this.#running.get(id)?.lease?.revoke();
  }

  #start(id: string, claim?: Claim<C>): Run {
    let onDone: () => void = () => undefined;
    const run: Run = { lease: null, done: new Promise((resolve) => (onDone = resolve)) };
    this.#running.set(id, run);
    this.deps.tasks.run(this.work.job, async (stopping) => {
      try {
        await this.deps.attempt(this.work.job, id, async () => {
          const own = claim ?? (stopping.aborted ? null : await this.#claim(id));
          if (own === null) return;
          run.lease = this.#hold(id, own, stopping);
          await this.#carryOut(own.claimed, run.lease, stopping);
        });
      } finally {
        this.#running.delete(id);
        onDone();
      }
    });
    return run;
  }

  async #claim(id: string): Promise<Claim<C> | null> {
    const sentAt = this.#clock.now();
    const claimed = await this.work.claim(id);
    return claimed === null ? null : { claimed, sentAt };
  }

  get #clock(): MonotonicClock {
    return this.deps.clock ?? monotonicClock;
  }

  #hold(id: string, { claimed, sentAt }: Claim<C>, signal: AbortSignal): Lease {
    const { job, ttlMs, renew } = this.work;
    const { clock = monotonicClock, log } = this.deps;
    return holdLease({
      name: job,
      facts: { itemId: id },
      ttlMs,
      renew: async () => renew(claimed),
      sentAt,
      signal,
      clock,
      log,
    });
  }

  async #carryOut(claimed: C, lease: Lease, stopping: AbortSignal): Promise<void> {
    try {
      lease.signal.throwIfAborted();
      await raceAbort(this.work.run(claimed, lease), stopping, stopGraceMs);
    } catch (error) {
      const isLost = !lease.isHeld;
      await lease.stop();
      if (!isLost) await this.work.giveBack(claimed, { error, isStopping: stopping.aborted });
    } finally {
      await lease.stop();
    }
  }
}
