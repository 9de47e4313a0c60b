import type { InvoiceKind } from '../domain/invoice.js';
import type { InvoiceStore } from '../models/invoice.js';
import type { SequenceBatch, SequenceStore } from '../models/sequence.js';
import type { SettingsSource } from '../settings/settings-reader.js';

interface InvoiceNumbersDeps {
  readonly invoices: Pick<InvoiceStore, 'findUnnumbered' | 'setNumbers'>;
  readonly sequences: SequenceStore;
  readonly settings: SettingsSource;
}

const maxBatch = 500;
const maxTries = 1_000;

/**
 * Gapless across crashes: the counter stores numbers with their invoices until written there, before it issues more;
 * the next process completes a dead one's batch. Concurrent requests share a batch.
 */
export class InvoiceNumbers {
  readonly #deps: InvoiceNumbersDeps;
  readonly #waiting: Record<InvoiceKind, Set<string>> = { invoice: new Set(), credit_note: new Set() };
  readonly #running: Partial<Record<InvoiceKind, Promise<void>>> = {};

  constructor(deps: InvoiceNumbersDeps) {
    this.#deps = deps;
  }

  /** Idempotent. */
  async assign(kind: InvoiceKind, invoiceId: string): Promise<void> {
    await this.assignAll(kind, [invoiceId]);
  }

  /** Idempotent. */
  async assignAll(kind: InvoiceKind, invoiceIds: readonly string[]): Promise<void> {
    const waiting = this.#waiting[kind];
    for (const invoiceId of invoiceIds) waiting.add(invoiceId);
    while (invoiceIds.some((invoiceId) => waiting.has(invoiceId))) {
      this.#running[kind] ??= this.#assignWaiting(kind).finally(() => {
        this.#running[kind] = undefined;
      });
      await this.#running[kind];
    }
  }

  async #assignWaiting(kind: InvoiceKind): Promise<void> {
    const batch = [...this.#waiting[kind]].slice(0, maxBatch);
    await this.#assignBatch(kind, batch);
    for (const invoiceId of batch) this.#waiting[kind].delete(invoiceId);
  }

  async #assignBatch(kind: InvoiceKind, invoiceIds: readonly string[]): Promise<void> {
    const { invoices, sequences } = this.#deps;
    for (let tries = 0; tries < maxTries; tries++) {
      // Sequence first: a successful claim proves that no process numbered these invoices since.
      const { last, pending } = await sequences.read(kind);
      if (pending) {
        await this.#write(kind, pending);
        continue;
      }
      const open = await invoices.findUnnumbered(invoiceIds);
      if (open.size === 0) return;
      const documentIds = invoiceIds.filter((invoiceId) => open.has(invoiceId));
      if (!(await sequences.claim(kind, last, documentIds))) continue;
      await this.#write(kind, { from: last + 1, documentIds });
      return;
    }
    throw new Error('the sequence of invoices changes too fast to take a number');
  }

  /** Then clears the batch. Safe concurrently. */
  async #write(kind: InvoiceKind, { from, documentIds }: SequenceBatch): Promise<void> {
    const { invoices, sequences, settings } = this.#deps;
    const { invoicePrefix } = await settings.read();
    const prefix = kind === 'invoice' ? invoicePrefix : `${invoicePrefix}CN-`;
    await invoices.setNumbers(
      documentIds.map((invoiceId, index) => {
        const sequence = from + index;
        return { invoiceId, sequence, number: `${prefix}${String(sequence).padStart(6, '0')}` };
      }),
    );
    await sequences.clear(kind, from);
  }
}
