import { randomUUID } from 'node:crypto';
import { invalidFields, isAppError, messageOf } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { type InvoiceItem, type InvoiceRefund } from '../../domain/invoice.js';
import { allocate, scaleHalfUp } from '../../domain/money.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import { fail } from '../../reasons.js';
import { mailEntry } from '../mail/mail-entry.js';
import { endService } from '../services/end-service.js';

export interface RefundInput {
  /** Null: everything that was paid and not given back. */
  readonly amountMinor: number | null;
  readonly destination: InvoiceRefund['destination'];
  readonly reason: string;
  readonly cancelServices: boolean;
  /** Of money that the gateway has given back already: its name of that. */
  readonly gatewayReference?: string;
}

const maxTries = 20;

/**
 * Give money back, once per idempotency id. The refund stands in the invoice first, under the sum that may be refunded;
 * money, credit note and services follow, each once. Throws INVOICE_NOT_PAID, INVALID_FIELDS.
 */
export async function refundInvoice(
  context: BillingContext,
  invoiceId: string,
  input: RefundInput,
  idempotencyId: string = randomUUID(),
): Promise<{ readonly invoice: InvoiceRecord; readonly creditNote: InvoiceRecord | null }> {
  const begun = await beginRefund(context, invoiceId, input, idempotencyId);
  const refund = begun.refunds.find(({ id }) => id === idempotencyId);
  if (refund && (await finishRefund(context, begun, refund)) === 'failed') {
    throw invalidFields({ amount: ['is more than what is left of the credits that were bought'] });
  }
  return {
    invoice: (await context.invoices.get(invoiceId)) ?? begun,
    creditNote: refund ? await context.invoices.get(refund.creditNoteId) : null,
  };
}

async function beginRefund(
  { invoices, clock }: BillingContext,
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
      throw invalidFields({ destination: ['must be original: what was bought are credits'] });
    }
    const most = invoice.totalMinor - invoice.refundedMinor;
    const amountMinor = input.amountMinor ?? most;
    if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0 || amountMinor > most) {
      throw invalidFields({ amount: [`must be between 1 and ${most}`] });
    }
    const refund: InvoiceRefund = {
      id: refundId,
      amountMinor,
      destination: input.destination,
      reason: input.reason,
      cancelServices: input.cancelServices,
      state: 'pending',
      creditNoteId: derivedId(refundId, 'credit note'),
      error: '',
      origin: input.gatewayReference === undefined ? 'operator' : 'gateway',
      reference: input.gatewayReference ?? '',
      at: clock(),
    };
    const refundedMinor = invoice.refundedMinor + amountMinor;
    const isAll = refundedMinor === invoice.totalMinor;
    const begun = await invoices.changeIf(
      invoiceId,
      { status: ['paid'], refundedMinor: invoice.refundedMinor },
      { refund, set: { refundedMinor, ...(isAll ? { status: 'refunded' } : {}) } },
    );
    if (begun) return begun;
  }
  throw fail('INVOICE_BUSY', 'the invoice changes too fast');
}

/** Everything that follows from a refund that was started. Idempotent; throws when the gateway is unavailable. */
export async function finishRefund(
  context: BillingContext,
  invoice: InvoiceRecord,
  refund: InvoiceRefund,
): Promise<'done' | 'failed'> {
  if (refund.state !== 'pending') return refund.state;
  const { invoices, numbers, failpoint, clock } = context;
  const missingMinor = await takeBackCredits(context, invoice, refund);
  if (missingMinor > 0 && refund.origin === 'operator') {
    await invoices.failRefund(invoice.id, refund, 'the credits were spent');
    return 'failed';
  }
  failpoint('refund.begun');
  if (refund.cancelServices) await endServices(context, invoice);
  if (refund.origin === 'operator') await returnMoney(context, invoice, refund);
  failpoint('refund.returned');
  await invoices.insertOnce(creditNoteOf(invoice, refund));
  failpoint('refund.noted');
  await numbers.assign('credit_note', refund.creditNoteId);
  await invoices.changeIf(
    invoice.id,
    {},
    { set: {}, mail: mailEntry(invoice.id, 'invoice_refunded', clock(), refund.id) },
  );
  await invoices.endRefund(invoice.id, refund.id, missingMinor === 0 ? '' : `credits of ${missingMinor} were spent`);
  return 'done';
}

async function endServices(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  for (const id of await serviceIdsOf(context, invoice)) await endService(context, id, 'terminated');
}

/** The services that an invoice is about. */
export async function serviceIdsOf(
  { services }: Pick<BillingContext, 'services'>,
  invoice: InvoiceRecord,
): Promise<ReadonlySet<string>> {
  const ids = new Set(invoice.items.map(({ serviceId }) => serviceId).filter((id) => id !== ''));
  const bought = invoice.orderId === '' ? [] : await services.ofOrder(invoice.orderId);
  for (const { id } of bought) ids.add(id);
  return ids;
}

function isOfCredits({ items }: Pick<InvoiceRecord, 'items'>): boolean {
  return items.some(({ purpose }) => purpose === 'credits');
}

/**
 * Credits that were bought go before their money does; how many of them are spent already. Of money that has gone back
 * without us as many are taken as there are, else all or none.
 */
async function takeBackCredits(
  context: BillingContext,
  invoice: InvoiceRecord,
  refund: InvoiceRefund,
): Promise<number> {
  if (!isOfCredits(invoice)) return 0;
  const { credits, clock } = context;
  const entry = {
    id: derivedId(refund.id, 'take back'),
    userId: invoice.userId,
    currency: invoice.currency,
    reason: 'reversal' as const,
    note: refund.reason,
    reference: invoice.id,
    createdAt: clock(),
  };
  for (let tries = 0; tries < maxTries; tries++) {
    const balance = await credits.balance(invoice.userId, invoice.currency);
    const isPart = refund.origin === 'gateway' || balance >= refund.amountMinor;
    // Of none a mark is posted, so that no late process takes them after all.
    const amountMinor = isPart ? Math.min(balance, refund.amountMinor) : 0;
    if ((await credits.post({ ...entry, amountMinor: -amountMinor })) === 'insufficient') continue;
    const posted = await credits.find(entry.id, entry.userId, entry.currency);
    return refund.amountMinor + (posted?.amountMinor ?? 0);
  }
  throw fail('INVOICE_BUSY', 'the balance changes too fast');
}

async function returnMoney(context: BillingContext, invoice: InvoiceRecord, refund: InvoiceRefund): Promise<void> {
  const { credits, gateways, log } = context;
  const payment = invoice.payments.find(({ amountMinor, method }) => amountMinor > 0 && gateways.has(method));
  if (refund.destination === 'original' && payment && payment.amountMinor >= refund.amountMinor) {
    try {
      const result = await gateways.get(payment.method)?.refund({
        invoiceId: invoice.id,
        gatewayReference: payment.reference,
        amount: { amountMinor: refund.amountMinor, currency: invoice.currency },
        idempotencyKey: refund.id,
      });
      if (result) await context.invoices.setRefundReference(invoice.id, refund.id, result.refundReference);
      return;
    } catch (error) {
      if (!isAppError(error) || error.kind === 'unavailable' || error.kind === 'deadline_exceeded') throw error;
      // The gateway will never do it: the customer gets credits, and the operator sees why.
      log.error({ err: error, invoiceId: invoice.id }, `a gateway refused a refund: ${messageOf(error)}`);
    }
  }
  await credits.post({
    id: derivedId(refund.id, 'credits'),
    userId: invoice.userId,
    currency: invoice.currency,
    amountMinor: refund.amountMinor,
    reason: 'refund',
    note: refund.reason,
    reference: invoice.id,
    createdAt: context.clock(),
  });
}

/** The invoice turned round, in proportion to what is given back; tax as on the invoice. */
function creditNoteOf(invoice: InvoiceRecord, refund: InvoiceRefund): InvoiceRecord {
  const { amountMinor, at } = refund;
  const totals = allocate(
    amountMinor,
    invoice.items.map((item) => item.totalMinor),
  );
  const items = invoice.items.flatMap((item, index): InvoiceItem[] => {
    const total = totals[index] ?? 0;
    if (total === 0) return [];
    const tax = item.totalMinor === 0 ? 0 : scaleHalfUp(item.taxMinor, total, item.totalMinor);
    return [
      {
        ...item,
        purpose: 'refund',
        quantity: 1,
        unitPriceMinor: -(total - tax),
        setupFeeMinor: 0,
        discountMinor: 0,
        netMinor: -(total - tax),
        taxMinor: -tax,
        totalMinor: -total,
      },
    ];
  });
  const sum = (field: 'netMinor' | 'taxMinor') => items.reduce((total, item) => total + item[field], 0);
  return {
    ...invoice,
    id: refund.creditNoteId,
    kind: 'credit_note',
    sequence: null,
    number: '',
    status: 'paid',
    correctsInvoiceId: invoice.id,
    items,
    subtotalMinor: sum('netMinor'),
    discountMinor: 0,
    taxMinor: sum('taxMinor'),
    totalMinor: -amountMinor,
    payments: [],
    refunds: [],
    refundedMinor: 0,
    disputes: [],
    issuedAt: at,
    dueAt: at,
    paidAt: at,
    createdAt: at,
    intent: null,
    effectsDueAt: null,
    step: null,
    stepAt: null,
  };
}

/** Refunds whose process died, or whose gateway did not answer. */
export async function recoverRefunds(context: BillingContext, signal: AbortSignal): Promise<void> {
  for (const invoice of await context.invoices.pendingRefunds(50)) {
    for (const refund of invoice.refunds) {
      if (signal.aborted) return;
      await context.attempt('recover-refunds', invoice.id, async () => finishRefund(context, invoice, refund));
    }
  }
}
