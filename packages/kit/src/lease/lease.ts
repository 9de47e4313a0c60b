import { AppError } from '../errors/errors.js';
import type { Logger } from '../process/logger.js';
import { type MonotonicClock, monotonicClock } from '../async/monotonic-clock.js';

/** Renewals per TTL without failures. */
const renewalsPerTtl = 3;
/** Share of the TTL before a retry. */
const retryShare = 0.1;
/** Share of the TTL before its end at which a lease counts as lost: work needs time to stop. */
const marginShare = 0.1;
/** For an unresponsive store. */
const stopPatienceMs = 5_000;

/** `refused`: by the store. `expired`: without a confirmation in time. `revoked`: see `revoke`. */
type LeaseLoss = 'refused' | 'expired' | 'revoked';

export interface LeaseOptions {
  readonly name: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The store adds it to its own clock on grant and renewal. */
  readonly ttlMs: number;
  readonly marginMs?: number;
  /** False when the lease is lost; a rejection means unknown and is retried. */
  readonly renew: () => Promise<boolean>;
  /** Ends the lease in the store if still held. */
  readonly release?: () => Promise<unknown>;
  /** `clock.now()` before the acquiring request. Default: now. */
  readonly sentAt?: number;
  /** Also aborts the lease's signal. Renewal continues until the holder's end. */
  readonly signal?: AbortSignal;
  /** Error of a lost lease. Default: LEASE_LOST. */
  readonly lossError?: (loss: LeaseLoss) => Error;
  readonly clock?: MonotonicClock;
  readonly log: Logger;
}

/**
 * An acquired lease in a shared store. The TTL counts from before each request on a monotonic clock: it ends here
 * before it ends in the store. A lost lease stays lost despite a late renewal, because another process may have held it
 * in between. The holder ends it with `release` or `stop`, also after a loss.
 */
export interface Lease {
  /** Aborted with `lossError` once uncertain, or with the outer signal's reason. */
  readonly signal: AbortSignal;
  /** By the clock, because a paused process misses timers. */
  readonly isHeld: boolean;
  /** Throws `lossError`, or the error of `renew` while still held. */
  renew(): Promise<void>;
  /** For `ms` more, after a renewal if needed. Throws as `renew`. */
  ensure(ms: number): Promise<void>;
  revoke(): void;
  /** Resolves once no renewal is in progress, which could retake the lease. It expires in the store. */
  stop(): Promise<void>;
  /** `stop`, then ends the lease in the store. Never rejects: an unreleased lease expires. */
  release(): Promise<void>;
}

export function holdLease(options: LeaseOptions): Lease {
  return new HeldLease(options);
}

/** Null when `acquire` returns false or resolves too late. */
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

  /** They overlap: a lost response must not cost the lease. */
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
