import type { OutboxEntry } from './entry.js';

/** Oldest first, with the failures of the first. */
export interface PendingDocument<P> {
  readonly documentId: string;
  readonly entries: readonly OutboxEntry<P>[];
  /** Failed attempts of `entries[0]`. */
  readonly attempts: number;
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
  readonly pendingDocuments: number;
  readonly parkedEntries: number;
}

/** Every method is one or two idempotent single-document updates. */
export interface OutboxStore<P> {
  findPending(query: PendingQuery): Promise<PendingDocument<P>[]>;
  /** Keeps entries appended meanwhile. */
  remove(documentId: string, entryIds: readonly string[]): Promise<void>;
  /** No-op when the entry is gone. */
  postpone(documentId: string, entryId: string, failure: FailedAttempt & { readonly retryAt: Date }): Promise<void>;
  /** Stored with its error, never delivered; later entries are. */
  park(documentId: string, entry: OutboxEntry<P>, failure: FailedAttempt & { readonly parkedAt: Date }): Promise<void>;
  count(): Promise<OutboxCounts>;
}
