import { isAppError, messageOf } from '@panel/kit/errors';
import type { Job, Logger } from '@panel/kit/process';
import type { OutboxEntry } from './entry.js';
import type { OutboxMetrics } from './metrics.js';
import type { OutboxStore, PendingDocument } from './store.js';

/** One entry with the document it comes from. */
export interface Delivery<P> {
  readonly documentId: string;
  readonly entry: OutboxEntry<P>;
}

/**
 * What a failed delivery means. `unavailable`: the consumer cannot be reached; nothing is wrong with the entry.
 * `rejected`: the consumer will never take it. `failed`: worth another attempt.
 */
export type DeliveryFailure = 'unavailable' | 'rejected' | 'failed';

export interface OutboxWorkerOptions<P> {
  /** For logs and metrics. */
  readonly name: string;
  readonly store: OutboxStore<P>;
  /** Deliver entries in this order; rejects when one of them was not taken. The consumer ignores ids it has taken before. */
  readonly deliver: (deliveries: readonly Delivery<P>[], signal: AbortSignal) => Promise<void>;
  readonly classify?: (error: unknown) => DeliveryFailure;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly metrics: OutboxMetrics;
  /** Entries in one call of `deliver`. Default 1. */
  readonly batchSize?: number;
  /** Time between two rounds. Default 1 s. */
  readonly intervalMs?: number;
  /** Failed attempts after which an entry is parked. Default 10. */
  readonly maxAttempts?: number;
}

const pageSize = 50;
const defaultMaxAttempts = 10;
const maxErrorLength = 500;
const firstRetryMs = 2_000;
const longestRetryMs = 600_000;
const longestPauseMs = 5_000;
/** So many entries in a row find the consumer unavailable before a round ends: one entry that crashes it does not end it. */
const unavailableInARow = 3;
const countIntervalMs = 15_000;

/** The default reading of an error. */
export function classifyFailure(error: unknown): DeliveryFailure {
  if (!isAppError(error)) return 'failed';
  if (error.kind === 'unavailable' || error.kind === 'deadline_exceeded' || error.kind === 'cancelled') {
    return 'unavailable';
  }
  return error.kind === 'invalid_argument' ? 'rejected' : 'failed';
}

/** An entry in the order of delivery, with its failed attempts so far. */
interface Candidate<P> extends Delivery<P> {
  readonly attempts: number;
}

interface Suspect<P> {
  readonly candidate: Candidate<P>;
  readonly error: unknown;
}

/**
 * Delivers the entries of one outbox, in order within each document, at least once. Several replicas may run one each:
 * nothing is claimed, and the consumer ignores what it has taken. A failing entry holds back its own document only, and is
 * parked after `maxAttempts`. While the consumer is unavailable no attempt counts; once it takes another entry the attempt
 * does count, because then the entry itself may be to blame.
 */
export class OutboxWorker<P> {
  readonly #options: OutboxWorkerOptions<P>;
  /** By document: entries that found the consumer unavailable since it last took one. */
  readonly #suspects = new Map<string, Suspect<P>>();
  /** The last document of the round before, where it ended early: no document is always the first to be tried. */
  #cursor: string | null = null;
  #unavailableInARow = 0;
  #unavailableRounds = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** Rounds of the job are skipped until then, because the consumer is unavailable. */
  #pausedUntil = 0;

  constructor(options: OutboxWorkerOptions<P>) {
    this.#options = options;
  }

  /** The periodic job of a process that runs the rounds: start it with the other jobs; `jobs.runNow` follows an append. */
  asJob(): Job {
    const { name, intervalMs = 1_000 } = this.#options;
    return {
      name: `deliver-${name}`,
      intervalMs,
      run: async (signal) => {
        if (performance.now() >= this.#pausedUntil) await this.drain(signal);
      },
    };
  }

  /** Deliver what is due, until there is nothing more or the consumer is unavailable. */
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

  /** False when they must be tried one by one, because one of them failed. */
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

  /** False when the entry stays and the entries after it in its document have to wait. */
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

  /** Count a failed attempt. True when the entry is parked, so that the entries after it can go. */
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

/** Twice as long after each attempt, within bounds. */
function retryMs(attempts: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1));
}

/** Pause between rounds while the consumer is unavailable. */
function pauseMs(rounds: number): number {
  return Math.min(longestPauseMs, 500 * 2 ** Math.min(rounds, 10));
}
