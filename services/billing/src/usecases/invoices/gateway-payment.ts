import { assertNever, invalidFields } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { isPayable, paidMinor } from '../../domain/invoice.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import { firstCheckAt } from '../payments/checkout-checks.js';
import { receiveEvents } from '../payments/apply-payment-event.js';

export interface GatewayPaymentRequest {
  readonly method: string;
  /** Empty: the panel. Must begin with the panel's address. */
  readonly returnUrl: string;
  readonly savePaymentMethod: boolean;
}

/** Begin a payment at a gateway; the address of its payment page, empty for what needs none. Idempotent. */
export async function startGatewayPayment(
  context: BillingContext,
  invoice: InvoiceRecord,
  { method, returnUrl, savePaymentMethod }: GatewayPaymentRequest,
): Promise<string> {
  const gateway = method === 'credits' ? undefined : context.gateways.get(method);
  if (!gateway || !isPayable(invoice)) return '';
  const amountMinor = invoice.totalMinor - paidMinor(invoice);
  const amount = { amountMinor, currency: invoice.currency };
  if (amountMinor <= 0) return '';
  if (!gateway.canCharge(amount)) throw invalidFields({ payment_method: ['cannot take this amount or currency'] });
  const result = await gateway.createCheckout({
    invoiceId: invoice.id,
    amount,
    description: `Invoice ${invoice.number}`,
    customer: { id: invoice.userId, email: invoice.customer.email },
    returnUrl: await checkReturnUrl(context, returnUrl),
    idempotencyKey: derivedId(invoice.id, `checkout ${method} ${amountMinor}`),
    savePaymentMethod: savePaymentMethod && gateway.canStoreMethods,
  });
  switch (result.kind) {
    case 'redirect': {
      const createdAt = context.clock();
      const checkout = {
        gateway: method,
        reference: result.gatewayReference,
        invoiceId: invoice.id,
        createdAt,
        checks: 0,
      };
      await context.checkouts.insertOnce(checkout, firstCheckAt(createdAt));
      return result.url;
    }
    case 'pending':
      return '';
    case 'paid':
      // Under the name by which its webhook reports it, so that it counts once.
      await receiveEvents(context, method, await gateway.confirmCheckout(result.gatewayReference));
      return '';
    default:
      return assertNever(result);
  }
}

/** A payment page leads back to the panel only. */
async function checkReturnUrl({ settings }: BillingContext, returnUrl: string): Promise<string> {
  const { panelUrl } = await settings.read();
  if (returnUrl === '') return panelUrl;
  const isOurs = URL.canParse(returnUrl) && new URL(returnUrl).origin === new URL(panelUrl).origin;
  if (!isOurs) throw invalidFields({ return_url: ["must be on the panel's own address"] });
  return returnUrl;
}
