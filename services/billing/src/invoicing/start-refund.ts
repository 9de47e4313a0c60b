import { fieldProblem, invalidFields, isAppError } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { InvoiceRecord, InvoiceRefund } from '../domain/invoice.js';
import type { InvoiceStore } from '../models/invoice.js';
import { fail } from '../reasons.js';

export interface RefundInput {
  /** Null: everything paid and not refunded. */
  readonly amountMinor: number | null;
  /** Less where less remains. */
  readonly isAtMost?: boolean;
  readonly destination: InvoiceRefund['destination'];
  readonly reason: string;
  readonly cancelSubscriptions: boolean;
  /** Of the item with this index only. */
  readonly line?: number;
  /** For money already returned at the gateway. */
  readonly reported?: Pick<InvoiceRefund, 'origin' | 'reference'>;
}

const maxTries = 20;

/**
 * Stored within the refundable sum; `finishRefund` does the rest, at the latest by the job recover-refunds. Idempotent by
 * id. Throws INVOICE_NOT_FOUND, INVOICE_NOT_PAID, INVALID_FIELDS.
 */
export async function startRefund(
  { invoices, clock }: { readonly invoices: InvoiceStore; readonly clock: () => Date },
  invoiceId: string,
  input: RefundInput,
  refundId: string,
): Promise<InvoiceRecord> {
  for (let tries = 0; tries < maxTries; tries++) {
    const invoice = await invoices.get(invoiceId);
    if (!invoice) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
    if (invoice.refunds.some(({ id }) => id === refundId)) return invoice;
    if (invoice.status !== 'paid' || invoice.kind === 'credit_note') {
      throw fail('INVOICE_NOT_PAID', 'only what is paid can be refunded');
    }
    if (input.destination === 'credits' && isOfCredits(invoice)) {
      throw invalidFields({
        destination: [fieldProblem('not_allowed', 'must be original: what was bought are credits')],
      });
    }
    const most = invoice.totalMinor - invoice.refundedMinor;
    const amountMinor = Math.min(input.amountMinor ?? most, input.isAtMost ? most : Infinity);
    if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0 || amountMinor > most) {
      throw invalidFields({ amount: [fieldProblem('out_of_range', `must be between 1 and ${most}`)] });
    }
    const refund: InvoiceRefund = {
      id: refundId,
      amountMinor,
      destination: input.destination,
      ...(input.line === undefined ? {} : { line: input.line }),
      reason: input.reason,
      cancelSubscriptions: input.cancelSubscriptions,
      state: 'pending',
      creditNoteId: derivedId(refundId, 'credit note'),
      error: '',
      ...(input.reported ?? { origin: 'operator', reference: '' }),
      at: clock(),
    };
    const refundedMinor = invoice.refundedMinor + amountMinor;
    const isAll = refundedMinor === invoice.totalMinor;
    const started = await invoices.changeIf(
      invoiceId,
      { status: ['paid'], refundedMinor: invoice.refundedMinor },
      { refund, set: { refundedMinor, ...(isAll ? { status: 'refunded' } : {}) } },
    );
    if (started) return started;
  }
  throw fail('INVOICE_BUSY', 'the invoice changes too fast');
}

/** Of what remains; null: nothing does, or the invoice is not paid. Idempotent by id, as `startRefund`. */
export async function startRemainingRefund(
  deps: Parameters<typeof startRefund>[0],
  invoiceId: string,
  input: RefundInput,
  refundId: string,
): Promise<InvoiceRecord | null> {
  const invoice = await deps.invoices.get(invoiceId);
  const isStarted = invoice?.refunds.some(({ id }) => id === refundId);
  if (!isStarted && (invoice?.status !== 'paid' || input.amountMinor === 0)) return null;
  try {
    return await startRefund(deps, invoiceId, { ...input, isAtMost: true }, refundId);
  } catch (error) {
    // Refunded wholly since.
    if (isAppError(error, 'INVOICE_NOT_PAID')) return null;
    throw error;
  }
}

export function isOfCredits({ items }: Pick<InvoiceRecord, 'items'>): boolean {
  return items.some(({ purpose }) => purpose === 'credits');
}
