import type { OutboxEntry } from './entry.js';

/** A document's entries, oldest first, and the failures of the first. */
export interface PendingDocument<P> {
  readonly documentId: string;
  readonly entries: readonly OutboxEntry<P>[];
  /** Failed attempts of `entries[0]`. */
  readonly attempts: number;
  /** Start of the next page. */
  readonly cursor: string;
}

interface PendingQuery {
  readonly now: Date;
  /** Null: from the beginning. */
  readonly after: string | null;
  readonly limit: number;
}

interface FailedAttempt {
  readonly attempts: number;
  readonly error: string;
}

export interface OutboxCounts {
  /** Documents with undelivered entries. */
  readonly pendingDocuments: number;
  readonly parkedEntries: number;
}

/** A worker's source of entries. Every method is one or two idempotent single-document updates. */
export interface OutboxStore<P> {
  /** Documents whose first entry is due. */
  findPending(query: PendingQuery): Promise<PendingDocument<P>[]>;
  /** Removes delivered entries, not those appended meanwhile. */
  remove(documentId: string, entryIds: readonly string[]): Promise<void>;
  /** Defers the document until `retryAt`. No-op when the entry is gone. */
  postpone(documentId: string, entryId: string, failure: FailedAttempt & { readonly retryAt: Date }): Promise<void>;
  /** Sets the entry aside with its error: it is never delivered, and later entries are. */
  park(documentId: string, entry: OutboxEntry<P>, failure: FailedAttempt & { readonly parkedAt: Date }): Promise<void>;
  count(): Promise<OutboxCounts>;
}
