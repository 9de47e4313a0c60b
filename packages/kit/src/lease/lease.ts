import { AppError } from '../errors/errors.js';
import type { Logger } from '../process/logger.js';
import { type MonotonicClock, monotonicClock } from '../async/monotonic-clock.js';

/** Renewals per TTL while all goes well. */
const renewalsPerTtl = 3;
/** A failed renewal is repeated after this share of the TTL. */
const retryShare = 0.1;
/** Share of the TTL, before its end, at which an unrenewed lease is given up: work needs time to stop. */
const marginShare = 0.1;
/** A store that never responds keeps the end of a lease no longer than this. */
const stopPatienceMs = 5_000;

/** `refused`: the store says that it is not ours. `expired`: the store did not confirm it in time. `revoked`: see `revoke`. */
type LeaseLoss = 'refused' | 'expired' | 'revoked';

export interface LeaseOptions {
  /** What is leased, for logs. */
  readonly name: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** What the store adds to its own clock when it grants or renews. */
  readonly ttlMs: number;
  readonly marginMs?: number;
  /** Renew in the store. False when the lease is not ours any more; a rejection means unknown, and is tried again. */
  readonly renew: () => Promise<boolean>;
  /** End the lease in the store, if it is still ours. */
  readonly release?: () => Promise<unknown>;
  /** `clock.now()` from before the request that took the lease was sent. Default: now. */
  readonly sentAt?: number;
  /** Aborts the signal of the lease as well. The lease is renewed until its holder ends it. */
  readonly signal?: AbortSignal;
  /** The error of a lost lease. Default: LEASE_LOST. */
  readonly lossError?: (loss: LeaseLoss) => Error;
  readonly clock?: MonotonicClock;
  readonly log: Logger;
}

/**
 * A lease that this process has taken in a store others share, for work that one process may do at a time. The TTL counts
 * from before a request was sent, by a monotonic clock: the store granted it later, so it ends here before it ends there.
 * A lost lease stays lost, even if a late response says otherwise: another process may have held it in between.
 *
 * The holder ends it with `release` or `stop`, also after a loss.
 */
export interface Lease {
  /** Aborted with `lossError` once the lease cannot be proven, or with the reason of the outer signal. */
  readonly signal: AbortSignal;
  /** Whether the lease is ours at this moment: asks the clock, which a paused process has not heard for a while. */
  readonly isHeld: boolean;
  /** Renew now. Throws `lossError`, or what `renew` threw while the lease is still held. */
  renew(): Promise<void>;
  /** Resolves when the lease is ours for `ms` more at least, after a renewal if necessary. Throws as `renew`. */
  ensure(ms: number): Promise<void>;
  /** The holder knows that the lease has gone to another. */
  revoke(): void;
  /** Renew no more. Resolves once no renewal is in progress, which might take the lease again. In the store it runs out. */
  stop(): Promise<void>;
  /** `stop`, then end the lease in the store. Never rejects: a lease that cannot be released runs out. */
  release(): Promise<void>;
}

/** Renew a lease that has been taken. */
export function holdLease(options: LeaseOptions): Lease {
  return new HeldLease(options);
}

/** Take a lease and renew it. Null when `acquire` resolves with false, or too late to rely on it. */
export async function acquireLease(
  options: Omit<LeaseOptions, 'sentAt'> & { readonly acquire: () => Promise<boolean> },
): Promise<Lease | null> {
  const sentAt = (options.clock ?? monotonicClock).now();
  if (!(await options.acquire())) return null;
  const lease = new HeldLease({ ...options, sentAt });
  if (lease.isHeld) return lease;
  await lease.release();
  return null;
}

class HeldLease implements Lease {
  readonly signal: AbortSignal;
  readonly #options: LeaseOptions;
  readonly #clock: MonotonicClock;
  /** How long a grant or renewal is relied on. */
  readonly #certainMs: number;
  readonly #lost = new AbortController();
  readonly #inProgress = new Set<Promise<unknown>>();
  #provenAt: number;
  #isEnded = false;
  #cancelRenewal: () => void = () => undefined;
  #cancelExpiry: () => void = () => undefined;
  #releasing: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    const { ttlMs, marginMs = ttlMs * marginShare, clock = monotonicClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#certainMs = ttlMs - marginMs;
    this.#provenAt = options.sentAt ?? clock.now();
    this.signal = options.signal ? AbortSignal.any([options.signal, this.#lost.signal]) : this.#lost.signal;
    this.#scheduleRenewal(ttlMs / renewalsPerTtl - (clock.now() - this.#provenAt));
    this.#watchExpiry();
  }

  get isHeld(): boolean {
    if (this.#isEnded || this.#lost.signal.aborted) return false;
    if (this.#remainingMs() <= 0) this.#lose('expired');
    return !this.#lost.signal.aborted;
  }

  async renew(): Promise<void> {
    this.#requireHeld();
    const sentAt = this.#clock.now();
    const renewal = this.#options.renew();
    this.#inProgress.add(renewal);
    try {
      if (!(await renewal)) this.#lose('refused');
      else if (this.isHeld) this.#provenAt = Math.max(this.#provenAt, sentAt);
    } finally {
      this.#inProgress.delete(renewal);
    }
    this.#requireHeld();
  }

  async ensure(ms: number): Promise<void> {
    if (!this.isHeld || this.#remainingMs() < ms) await this.renew();
  }

  revoke(): void {
    this.#lose('revoked');
  }

  async stop(): Promise<void> {
    this.#isEnded = true;
    this.#cancelTimers();
    if (this.#inProgress.size === 0) return;
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#clock.after(stopPatienceMs, resolve);
    });
    await Promise.race([Promise.allSettled(this.#inProgress), late]);
    cancel();
  }

  async release(): Promise<void> {
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  async #release(): Promise<void> {
    const { name, facts, log, release } = this.#options;
    await this.stop();
    try {
      await release?.();
    } catch (error) {
      log.warn({ err: error, lease: name, ...facts }, 'a lease was not released and has to run out');
    }
  }

  #remainingMs(): number {
    return this.#provenAt + this.#certainMs - this.#clock.now();
  }

  #requireHeld(): void {
    if (this.isHeld) return;
    throw this.#lost.signal.aborted ? this.#lost.signal.reason : this.#lossError('revoked');
  }

  #lose(loss: LeaseLoss): void {
    if (this.#isEnded || this.#lost.signal.aborted) return;
    this.#cancelTimers();
    const { name, facts, log } = this.#options;
    log[loss === 'expired' ? 'warn' : 'info']({ lease: name, loss, ...facts }, 'a lease was lost');
    this.#lost.abort(this.#lossError(loss));
  }

  #lossError(loss: LeaseLoss): Error {
    const { lossError, name } = this.#options;
    return lossError?.(loss) ?? new AppError('aborted', 'LEASE_LOST', `the lease of ${name} was lost (${loss})`);
  }

  /** Renewals overlap when one takes longer than their interval: a lost response must not cost the lease. */
  #scheduleRenewal(ms: number): void {
    this.#cancelRenewal();
    this.#cancelRenewal = this.#clock.after(Math.max(0, ms), () => {
      this.#scheduleRenewal(this.#options.ttlMs / renewalsPerTtl);
      void this.#renewQuietly();
    });
  }

  async #renewQuietly(): Promise<void> {
    try {
      await this.renew();
    } catch (error) {
      if (!this.isHeld) return;
      const { name, facts, log, ttlMs } = this.#options;
      log.debug({ err: error, lease: name, ...facts }, 'a lease was not renewed');
      this.#scheduleRenewal(ttlMs * retryShare);
    }
  }

  #watchExpiry(): void {
    if (this.isHeld) this.#cancelExpiry = this.#clock.after(this.#remainingMs(), () => this.#watchExpiry());
  }

  #cancelTimers(): void {
    this.#cancelRenewal();
    this.#cancelExpiry();
  }
}
