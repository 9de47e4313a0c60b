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
 * Gives invoices their numbers, without gaps whatever dies when: numbers and the invoices they are for stand in the counter
 * itself until they are written to the invoices. No further numbers are taken before that, and the next process writes
 * what a dead process left. Requests of this process that wait for each other are served in one batch.
 */
export class InvoiceNumbers {
  readonly #deps: InvoiceNumbersDeps;
  readonly #waiting: Record<InvoiceKind, Set<string>> = { invoice: new Set(), credit_note: new Set() };
  readonly #running: Partial<Record<InvoiceKind, Promise<void>>> = {};

  constructor(deps: InvoiceNumbersDeps) {
    this.#deps = deps;
  }

  /** Resolves when the invoice has its number. Idempotent. */
  async assign(kind: InvoiceKind, invoiceId: string): Promise<void> {
    await this.assignAll(kind, [invoiceId]);
  }

  /** Resolves when each of them has its number. Idempotent. */
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
      // In this order: if the claim finds the sequence where it was read, no other process has numbered these invoices
      // since then.
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

  /** Write claimed numbers to their invoices, then let go of them. Any number of processes may do it at once. */
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
