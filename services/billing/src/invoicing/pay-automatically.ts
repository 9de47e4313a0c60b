import { isAppError } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { mailEntry } from '../domain/mail.js';
import { type InvoiceRecord, isPayable, paidMinor, payableStatuses } from '../domain/invoice.js';
import type { InvoicingDeps } from './dependencies.js';
import { payFromCredits } from './pay-from-credits.js';
import { recordPayment } from './record-payment.js';

/** From credits if sufficient, else by the newest stored method. */
export async function payAutomatically(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<boolean> {
  if (invoice.items.some(({ purpose }) => purpose === 'credits')) return false;
  if ((await payFromCredits(deps, invoice.id)) === 'paid') return true;
  const [method] = await deps.storedMethods.ofUser(invoice.userId);
  const gateway = method && deps.gateways.get(method.gateway);
  if (!method || !gateway) return false;
  const open = (await deps.invoices.get(invoice.id)) ?? invoice;
  const amountMinor = open.totalMinor - paidMinor(open);
  const amount = { amountMinor, currency: open.currency };
  if (!isPayable(open) || amountMinor <= 0 || !gateway.canCharge(amount)) return false;
  try {
    const { customerReference, methodReference } = method;
    const result = await gateway.chargeStored({
      invoiceId: open.id,
      amount,
      description: `Invoice ${open.number}`,
      customer: { id: open.userId, email: open.customer.email },
      method: { customerReference, methodReference },
      // Per step: a declined card is retried at the next one.
      idempotencyKey: derivedId(open.id, `charge ${method.id} ${open.step ?? ''} ${amountMinor}`),
    });
    if (result.kind === 'declined') {
      const at = deps.clock();
      const mail = mailEntry(open.id, 'payment_failed', at, open.step ?? '');
      await deps.invoices.changeIf(open.id, { status: payableStatuses }, { mail });
      return false;
    }
    if (result.kind === 'pending') return false;
    const { gatewayReference: reference } = result;
    const payment = { id: `${method.gateway}:${reference}`, method: method.gateway, amountMinor, reference };
    await recordPayment(deps, open.id, { ...payment, at: deps.clock() });
    return true;
  } catch (error) {
    if (!isAppError(error)) throw error;
    deps.log.warn({ err: error, invoiceId: open.id }, 'a stored method could not be charged');
    return false;
  }
}
