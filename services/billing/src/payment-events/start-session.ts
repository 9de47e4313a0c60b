import { assertNever, type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { type InvoiceRecord, isPayable, paidMinor } from '../domain/invoice.js';
import type { PaymentEventDeps } from './dependencies.js';
import { firstCheckAt } from '../domain/session-checks.js';
import type { Money } from '../domain/payment.js';
import { receiveEvents } from './receive-events.js';

interface GatewayPaymentRequest {
  readonly method: string;
  /** Empty: the panel. Must start with its URL. */
  readonly returnUrl: string;
  readonly savePaymentMethod: boolean;
}

export interface PaymentRequest extends GatewayPaymentRequest {
  /** Credits first, as far as they go. */
  readonly useCredits: boolean;
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
  requireValid(await gatewayPaymentProblems(deps, { method, returnUrl }, amount));
  const { panelUrl } = await deps.settings.read();
  const result = await gateway.createSession({
    invoiceId: invoice.id,
    amount,
    description: `Invoice ${invoice.number}`,
    customer: { id: invoice.userId, email: invoice.customer.email },
    returnUrl: returnUrl || panelUrl,
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

/** Why a gateway would refuse to take the amount: asked before anything is reserved or issued for it. */
export async function gatewayPaymentProblems(
  { gateways, settings }: Pick<PaymentEventDeps, 'gateways' | 'settings'>,
  { method, returnUrl }: Pick<GatewayPaymentRequest, 'method' | 'returnUrl'>,
  amount: Money,
): Promise<FieldMessages> {
  const { panelUrl } = await settings.read();
  const isOurs =
    returnUrl === '' || (URL.canParse(returnUrl) && new URL(returnUrl).origin === new URL(panelUrl).origin);
  const gateway = method === 'credits' ? undefined : gateways.get(method);
  const isRefused = gateway !== undefined && amount.amountMinor > 0 && !gateway.canCharge(amount);
  return {
    ...(isOurs ? {} : { return_url: [fieldProblem('not_allowed', "must be on the panel's own address")] }),
    ...(isRefused ? { payment_method: [fieldProblem('not_allowed', 'cannot take this amount or currency')] } : {}),
  };
}
