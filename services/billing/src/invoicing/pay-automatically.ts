import { isAppError, isUnavailable } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { mailEntry } from '../domain/mail.js';
import {
  acceptedPayment,
  type InvoiceRecord,
  isPayable,
  paidMinor,
  payableStatuses,
  type PendingPayment,
} from '../domain/invoice.js';
import type { StoredMethodRecord } from '../domain/payment.js';
import type { PaymentGateway } from '../payments/payment-gateway.js';
import type { InvoicingDeps } from './dependencies.js';
import { payFromCredits } from './pay-from-credits.js';
import { recordPayment } from './record-payment.js';

type Outcome = 'paid' | 'pending' | 'open';

/** From credits if sufficient, else by the newest stored method. `pending`: a gateway has accepted a payment. */
export async function payAutomatically(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<Outcome> {
  if (invoice.items.some(({ purpose }) => purpose === 'credits')) return 'open';
  if (acceptedPayment(invoice, deps.clock())) return 'pending';
  if ((await payFromCredits(deps, invoice.id)) === 'paid') return 'paid';
  const open = (await deps.invoices.get(invoice.id)) ?? invoice;
  if (acceptedPayment(open, deps.clock())) return 'pending';
  const methods = await deps.storedMethods.ofUser(invoice.userId);
  const unanswered = open.pendingPayment?.reference === '' ? open.pendingPayment : null;
  const method = methods.find(({ id }) => id === unanswered?.methodId) ?? methods[0];
  const gateway = method && deps.gateways.get(method.gateway);
  if (!method || !gateway) return 'open';
  const charge = unanswered?.methodId === method.id ? unanswered : await beginCharge(deps, open, method, gateway);
  return charge ? finishCharge(deps, open, { charge, method, gateway }) : 'open';
}

/** Noted before it is sent: what is repeated after a lost answer is the same charge. Null: nothing can be charged. */
async function beginCharge(
  { invoices, clock }: InvoicingDeps,
  invoice: InvoiceRecord,
  method: StoredMethodRecord,
  gateway: PaymentGateway,
): Promise<PendingPayment | null> {
  const { id, currency, step, pendingPayment } = invoice;
  const amountMinor = invoice.totalMinor - paidMinor(invoice);
  if (!isPayable(invoice) || amountMinor <= 0 || !gateway.canCharge({ amountMinor, currency })) return null;
  // Per step: a declined card is retried at the next one.
  const key = derivedId(id, `charge ${method.id} ${step ?? ''} ${amountMinor}`);
  const charge = { key, methodId: method.id, method: method.gateway, amountMinor, reference: '', at: clock() };
  const condition = { status: payableStatuses, pending: pendingPayment ?? null };
  return (await invoices.changeIf(id, condition, { set: { pendingPayment: charge } })) && charge;
}

interface Charge {
  readonly charge: PendingPayment;
  readonly method: StoredMethodRecord;
  readonly gateway: PaymentGateway;
}

async function finishCharge(
  deps: InvoicingDeps,
  { id, number, userId, customer, currency, step }: InvoiceRecord,
  { charge, method, gateway }: Charge,
): Promise<Outcome> {
  const { invoices, clock, log } = deps;
  const { key, amountMinor } = charge;
  const condition = { status: payableStatuses, pending: charge };
  try {
    const { customerReference, methodReference } = method;
    const result = await gateway.chargeStored({
      invoiceId: id,
      amount: { amountMinor, currency },
      description: `Invoice ${number}`,
      customer: { id: userId, email: customer.email },
      method: { customerReference, methodReference },
      idempotencyKey: key,
    });
    deps.failpoint('charge.answered');
    if (result.kind === 'declined') {
      const mail = mailEntry(id, 'payment_failed', clock(), step ?? '');
      await invoices.changeIf(id, condition, { set: { pendingPayment: null }, mail });
      return 'open';
    }
    const { gatewayReference: reference } = result;
    if (result.kind === 'pending') {
      await invoices.changeIf(id, condition, { set: { pendingPayment: { ...charge, reference } } });
      return 'pending';
    }
    const payment = { id: `${method.gateway}:${reference}`, method: method.gateway, amountMinor, reference };
    await recordPayment(deps, id, { ...payment, at: clock() });
    await invoices.changeIf(id, condition, { set: { pendingPayment: null } });
    return 'paid';
  } catch (error) {
    if (!isAppError(error)) throw error;
    log.warn({ err: error, invoiceId: id }, 'a stored method could not be charged');
    // Without an answer it may have been charged.
    if (!isUnavailable(error)) await invoices.changeIf(id, condition, { set: { pendingPayment: null } });
    return 'open';
  }
}
