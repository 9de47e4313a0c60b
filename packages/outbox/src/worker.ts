import { isAppError, messageOf } from '@panel/kit/errors';
import type { Job, Logger } from '@panel/kit/process';
import type { OutboxEntry } from './entry.js';
import type { OutboxMetrics } from './metrics.js';
import type { OutboxStore, PendingDocument } from './store.js';

export interface Delivery<P> {
  readonly documentId: string;
  readonly entry: OutboxEntry<P>;
}

/** `unavailable`: the entry may be fine. `rejected`: permanent. `failed`: retry. */
export type DeliveryFailure = 'unavailable' | 'rejected' | 'failed';

export interface OutboxWorkerOptions<P> {
  /** For logs and metrics. */
  readonly name: string;
  readonly store: OutboxStore<P>;
  /** In order; rejects when one fails. The consumer ignores known ids. */
  readonly deliver: (deliveries: readonly Delivery<P>[], signal: AbortSignal) => Promise<void>;
  readonly classify?: (error: unknown) => DeliveryFailure;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly metrics: OutboxMetrics;
  /** Entries per call of `deliver`. Default 1. */
  readonly batchSize?: number;
  /** Time between rounds; default 5 s. What is waited for is delivered at once by `jobs.runNow`. */
  readonly intervalMs?: number;
  /** Failed attempts before an entry is parked. Default 10. */
  readonly maxAttempts?: number;
}

const pageSize = 50;
const defaultMaxAttempts = 10;
const maxErrorLength = 500;
const firstRetryMs = 2_000;
const longestRetryMs = 600_000;
const longestPauseMs = 5_000;
/** Ends a round. More than one, because a single entry may crash the consumer. */
const unavailableInARow = 3;
const countIntervalMs = 15_000;

export function classifyFailure(error: unknown): DeliveryFailure {
  if (!isAppError(error)) return 'failed';
  if (error.kind === 'unavailable' || error.kind === 'deadline_exceeded' || error.kind === 'cancelled') {
    return 'unavailable';
  }
  return error.kind === 'invalid_argument' ? 'rejected' : 'failed';
}

interface Candidate<P> extends Delivery<P> {
  readonly attempts: number;
}

interface Suspect<P> {
  readonly candidate: Candidate<P>;
  readonly error: unknown;
}

/**
 * At least once, in order within each document. Replicas run without claims, because the consumer ignores known ids. A
 * failing entry blocks only its document and is parked after `maxAttempts`. Attempts during an unavailability count
 * only once the consumer takes another entry.
 */
export class OutboxWorker<P> {
  readonly #options: OutboxWorkerOptions<P>;
  /** Unavailable consumer since its last success, by document. */
  readonly #suspects = new Map<string, Suspect<P>>();
  /** After a round that ended early, to vary the first document. */
  #cursor: string | null = null;
  #unavailableInARow = 0;
  #unavailableRounds = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** The job skips rounds until then while the consumer is unavailable. */
  #pausedUntil = 0;

  constructor(options: OutboxWorkerOptions<P>) {
    this.#options = options;
  }

  /** Call `jobs.runNow` after an append. */
  asJob(): Job {
    const { name, intervalMs = 5_000 } = this.#options;
    return {
      name: `deliver-${name}`,
      intervalMs,
      run: async (signal) => {
        if (performance.now() >= this.#pausedUntil) await this.drain(signal);
      },
    };
  }

  /** Until none is due or the consumer is unavailable. */
  async drain(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#options;
    this.#unavailableInARow = 0;
    let isMore = true;
    while (isMore && this.#canContinue(signal)) {
      const documents = await store.findPending({ now: clock(), after: this.#cursor, limit: pageSize });
      await this.#deliverAll(documents.flatMap(candidatesOf), documents, signal);
      isMore = documents.length === pageSize;
    }
    if (!isMore && this.#canContinue(signal)) this.#cursor = null;
    this.#reportAvailability();
    await this.#reportCounts();
  }

  #canContinue(signal: AbortSignal): boolean {
    return !signal.aborted && this.#unavailableInARow < unavailableInARow;
  }

  async #deliverAll(
    candidates: readonly Candidate<P>[],
    documents: readonly PendingDocument<P>[],
    signal: AbortSignal,
  ): Promise<void> {
    const cursors = new Map(documents.map(({ documentId, cursor }) => [documentId, cursor]));
    const heldBack = new Set<string>();
    const { batchSize = 1 } = this.#options;
    for (let at = 0; at < candidates.length && this.#canContinue(signal); at += batchSize) {
      const batch = candidates.slice(at, at + batchSize).filter(({ documentId }) => !heldBack.has(documentId));
      if (batch.length > 1 && (await this.#deliverTogether(batch, signal))) continue;
      for (const candidate of batch) {
        if (heldBack.has(candidate.documentId) || !this.#canContinue(signal)) continue;
        this.#cursor = cursors.get(candidate.documentId) ?? null;
        if (!(await this.#deliverOne(candidate, signal))) heldBack.add(candidate.documentId);
      }
    }
    if (this.#canContinue(signal)) this.#cursor = documents.at(-1)?.cursor ?? null;
  }

  /** False after a failure: retry them one by one. */
  async #deliverTogether(batch: readonly Candidate<P>[], signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.deliver(batch, signal);
    } catch (error) {
      this.#options.log.debug(
        { err: error, outbox: this.#options.name },
        'a batch failed, delivering its entries singly',
      );
      return false;
    }
    await this.#onDelivered(batch);
    return true;
  }

  /** False when the entry stays and blocks its document. */
  async #deliverOne(candidate: Candidate<P>, signal: AbortSignal): Promise<boolean> {
    const { deliver, classify = classifyFailure } = this.#options;
    try {
      await deliver([candidate], signal);
    } catch (error) {
      if (signal.aborted) return false;
      if (classify(error) !== 'unavailable') return this.#onFailure(candidate, error, classify(error) === 'rejected');
      this.#unavailableInARow += 1;
      this.#suspects.set(candidate.documentId, { candidate, error });
      this.#options.metrics.countDelivery(this.#options.name, 'unavailable');
      return false;
    }
    await this.#onDelivered([candidate]);
    return true;
  }

  async #onDelivered(batch: readonly Candidate<P>[]): Promise<void> {
    const { store, name, metrics } = this.#options;
    this.#unavailableInARow = 0;
    metrics.countDelivery(name, 'delivered', batch.length);
    const idsByDocument = new Map<string, string[]>();
    for (const { documentId, entry } of batch) {
      idsByDocument.set(documentId, [...(idsByDocument.get(documentId) ?? []), entry.id]);
      this.#suspects.delete(documentId);
    }
    await Promise.all([...idsByDocument].map(async ([documentId, ids]) => store.remove(documentId, ids)));
    const suspects = [...this.#suspects.values()];
    this.#suspects.clear();
    for (const { candidate, error } of suspects) await this.#onFailure(candidate, error, false);
  }

  /** True when the entry is parked. */
  async #onFailure(candidate: Candidate<P>, error: unknown, isRejected: boolean): Promise<boolean> {
    const { store, clock, log, metrics, name, maxAttempts = defaultMaxAttempts } = this.#options;
    const { documentId, entry } = candidate;
    const attempts = candidate.attempts + 1;
    const failure = { attempts, error: messageOf(error).slice(0, maxErrorLength) };
    const facts = { err: error, outbox: name, documentId, entryId: entry.id, attempts };
    if (isRejected || attempts >= maxAttempts) {
      await store.park(documentId, entry, { ...failure, parkedAt: clock() });
      metrics.countDelivery(name, 'parked');
      log.error(facts, 'an outbox entry was parked');
      return true;
    }
    await store.postpone(documentId, entry.id, {
      ...failure,
      retryAt: new Date(clock().getTime() + retryMs(attempts)),
    });
    metrics.countDelivery(name, 'retried');
    log.warn(facts, 'an outbox entry was not taken, it is retried later');
    return false;
  }

  #reportAvailability(): void {
    const isUnavailable = this.#unavailableInARow > 0;
    const { log, name } = this.#options;
    if (isUnavailable && this.#unavailableRounds === 0) {
      log.warn({ outbox: name }, 'the consumer of an outbox is unavailable, retrying');
    }
    this.#unavailableRounds = isUnavailable ? this.#unavailableRounds + 1 : 0;
    if (isUnavailable) this.#pausedUntil = performance.now() + pauseMs(this.#unavailableRounds);
  }

  async #reportCounts(): Promise<void> {
    const { metrics, name, store } = this.#options;
    if (performance.now() - this.#countedAt < countIntervalMs) return;
    this.#countedAt = performance.now();
    metrics.setCounts(name, await store.count());
  }
}

function candidatesOf<P>({ documentId, entries, attempts }: PendingDocument<P>): Candidate<P>[] {
  return entries.map((entry, index) => ({ documentId, entry, attempts: index === 0 ? attempts : 0 }));
}

/** Doubles per attempt, within bounds. */
function retryMs(attempts: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1));
}

function pauseMs(rounds: number): number {
  return Math.min(longestPauseMs, 500 * 2 ** Math.min(rounds, 10));
}
