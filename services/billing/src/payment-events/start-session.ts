import { assertNever, invalidFields } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { type InvoiceRecord, isPayable, paidMinor } from '../domain/invoice.js';
import type { PaymentEventDeps } from './dependencies.js';
import { firstCheckAt } from '../domain/session-checks.js';
import { receiveEvents } from './receive-events.js';

export interface GatewayPaymentRequest {
  readonly method: string;
  /** Empty: the panel. Must start with its URL. */
  readonly returnUrl: string;
  readonly savePaymentMethod: boolean;
}

/** Empty: no payment page needed. Idempotent. */
export async function startGatewayPayment(
  deps: PaymentEventDeps,
  invoice: InvoiceRecord,
  { method, returnUrl, savePaymentMethod }: GatewayPaymentRequest,
): Promise<string> {
  const gateway = method === 'credits' ? undefined : deps.gateways.get(method);
  if (!gateway || !isPayable(invoice)) return '';
  const amountMinor = invoice.totalMinor - paidMinor(invoice);
  const amount = { amountMinor, currency: invoice.currency };
  if (amountMinor <= 0) return '';
  if (!gateway.canCharge(amount)) throw invalidFields({ payment_method: ['cannot take this amount or currency'] });
  const result = await gateway.createSession({
    invoiceId: invoice.id,
    amount,
    description: `Invoice ${invoice.number}`,
    customer: { id: invoice.userId, email: invoice.customer.email },
    returnUrl: await checkReturnUrl(deps, returnUrl),
    idempotencyKey: derivedId(invoice.id, `payment session ${method} ${amountMinor}`),
    savePaymentMethod: savePaymentMethod && gateway.canStoreMethods,
  });
  switch (result.kind) {
    case 'redirect': {
      const createdAt = deps.clock();
      const session = {
        gateway: method,
        reference: result.gatewayReference,
        invoiceId: invoice.id,
        createdAt,
        checks: 0,
      };
      await deps.paymentSessions.insertIfAbsent(session, firstCheckAt(createdAt));
      return result.url;
    }
    case 'pending':
      return '';
    case 'paid':
      // Same reference as its webhook: counts once.
      await receiveEvents(deps, method, await gateway.confirmSession(result.gatewayReference));
      return '';
    default:
      return assertNever(result);
  }
}

async function checkReturnUrl({ settings }: PaymentEventDeps, returnUrl: string): Promise<string> {
  const { panelUrl } = await settings.read();
  if (returnUrl === '') return panelUrl;
  const isOurs = URL.canParse(returnUrl) && new URL(returnUrl).origin === new URL(panelUrl).origin;
  if (!isOurs) throw invalidFields({ return_url: ["must be on the panel's own address"] });
  return returnUrl;
}
