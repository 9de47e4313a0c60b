import type { OutboxEntry } from './entry.js';

/** The entries of one document, oldest first, and the failures of the first of them so far. */
export interface PendingDocument<P> {
  readonly documentId: string;
  readonly entries: readonly OutboxEntry<P>[];
  /** Failed attempts of `entries[0]`. */
  readonly attempts: number;
  /** Where the next page continues. */
  readonly cursor: string;
}

interface PendingQuery {
  readonly now: Date;
  /** Continue after this cursor; null starts at the beginning. */
  readonly after: string | null;
  readonly limit: number;
}

interface FailedAttempt {
  readonly attempts: number;
  readonly error: string;
}

export interface OutboxCounts {
  /** Documents with entries that are not delivered. */
  readonly pendingDocuments: number;
  readonly parkedEntries: number;
}

/** Where a worker finds entries. Every method is one or two single-document updates, and safe to repeat. */
export interface OutboxStore<P> {
  /** Documents whose first entry is due. */
  findPending(query: PendingQuery): Promise<PendingDocument<P>[]>;
  /** Forget delivered entries. Entries appended meanwhile stay. */
  remove(documentId: string, entryIds: readonly string[]): Promise<void>;
  /** Leave the document alone until `retryAt`. Does nothing when the entry is gone. */
  postpone(documentId: string, entryId: string, failure: FailedAttempt & { readonly retryAt: Date }): Promise<void>;
  /** Put the entry aside: it is kept with its error and never delivered, and the entries after it are. */
  park(documentId: string, entry: OutboxEntry<P>, failure: FailedAttempt & { readonly parkedAt: Date }): Promise<void>;
  count(): Promise<OutboxCounts>;
}
