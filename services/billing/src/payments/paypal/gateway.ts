import { isAppError } from '@panel/kit';
import type {
  CheckoutRequest,
  CheckoutResult,
  PaymentEvent,
  RefundRequest,
  RefundResult,
} from '../../domain/payment-gateway.js';
import type { ProviderGateway } from '../checkout-confirmation.js';
import { fail } from '../reasons.js';
import { toPayPalAmount } from './amounts.js';
import { PayPalClient, type PayPalSettings } from './client.js';
import { failedOrderEvents, orderEvents } from './events.js';
import { listPayments } from './list-payments.js';
import * as messages from './messages.js';
import { parsePayPalWebhook } from './webhook.js';

/** PayPal orders: the customer approves at PayPal, then the money is captured. Methods are not kept. */
export function createPayPalGateway(settings: PayPalSettings, clock: () => Date): ProviderGateway {
  const client = new PayPalClient(settings, clock);
  const confirmOrder = (orderId: string) => confirmCheckout(client, clock, orderId);
  return {
    name: 'paypal',
    createCheckout: (request) => createCheckout(client, request),
    confirmCheckout: confirmOrder,
    chargeStored: async () => ({ kind: 'declined', reason: 'stored_methods_not_supported' }),
    refund: (request) => refund(client, request),
    parseWebhook: (request) =>
      parsePayPalWebhook({ client, webhookId: settings.webhookId, clock, confirmOrder }, request),
    listPayments: (since) => listPayments(client, since, clock()),
  };
}

const maxDescriptionLength = 127;

async function createCheckout(client: PayPalClient, request: CheckoutRequest): Promise<CheckoutResult> {
  const body = {
    intent: 'CAPTURE',
    purchase_units: [
      {
        custom_id: request.invoiceId,
        description: request.description.slice(0, maxDescriptionLength),
        amount: toPayPalAmount(request.amount),
      },
    ],
    payment_source: {
      paypal: {
        experience_context: {
          return_url: request.returnUrl,
          cancel_url: request.returnUrl,
          user_action: 'PAY_NOW',
          shipping_preference: 'NO_SHIPPING',
        },
      },
    },
  };
  const order = await client.call(
    {
      operation: 'create order',
      method: 'POST',
      path: '/v2/checkout/orders',
      body: JSON.stringify(body),
      idempotencyKey: request.idempotencyKey,
    },
    messages.order,
  );
  if (order.status === 'COMPLETED') return { kind: 'paid', gatewayReference: order.id };
  const link = order.links.find(({ rel }) => rel === 'payer-action' || rel === 'approve');
  if (!link) throw fail('PAYMENT_REFUSED', 'the order cannot be approved', { gateway: 'paypal', status: order.status });
  return { kind: 'redirect', url: link.href, gatewayReference: order.id };
}

const orderPath = (id: string): string => `/v2/checkout/orders/${encodeURIComponent(id)}`;

function retrieveOrder(client: PayPalClient, id: string): Promise<messages.Order> {
  return client.call({ operation: 'retrieve order', method: 'GET', path: orderPath(id) }, messages.order);
}

async function confirmCheckout(client: PayPalClient, clock: () => Date, orderId: string): Promise<PaymentEvent[]> {
  const order = await retrieveOrder(client, orderId);
  switch (order.status) {
    case 'APPROVED':
      return capture(client, clock, order);
    case 'VOIDED':
      return failedOrderEvents(order, 'voided', clock());
    default:
      return orderEvents(order);
  }
}

/** Take the approved money. The request id comes from the order, so an order is captured once whoever asks. */
async function capture(client: PayPalClient, clock: () => Date, order: messages.Order): Promise<PaymentEvent[]> {
  try {
    const captured = await client.call(
      {
        operation: 'capture order',
        method: 'POST',
        path: `${orderPath(order.id)}/capture`,
        body: '{}',
        idempotencyKey: `capture-${order.id}`,
      },
      messages.order,
    );
    return orderEvents(captured);
  } catch (error) {
    if (!isAppError(error, 'PAYMENT_REFUSED')) throw error;
    const { issue } = error.metadata;
    if (issue === 'ORDER_ALREADY_CAPTURED') return orderEvents(await retrieveOrder(client, order.id));
    if (issue === 'INSTRUMENT_DECLINED') return failedOrderEvents(order, 'instrument_declined', clock());
    throw error;
  }
}

async function refund(client: PayPalClient, request: RefundRequest): Promise<RefundResult> {
  const made = await refundCapture(client, request, request.gatewayReference).catch(async (error: unknown) => {
    if (!isAppError(error, 'PAYMENT_REFUSED') || error.metadata['status'] !== 404) throw error;
    return refundCapture(client, request, await captureOfOrder(client, request.gatewayReference));
  });
  if (made.status === 'COMPLETED' || made.status === 'PENDING') return { refundReference: made.id };
  throw fail('PAYMENT_REFUSED', 'the refund failed', { gateway: 'paypal', status: made.status });
}

function refundCapture(client: PayPalClient, request: RefundRequest, captureId: string): Promise<messages.Refund> {
  return client.call(
    {
      operation: 'refund capture',
      method: 'POST',
      path: `/v2/payments/captures/${encodeURIComponent(captureId)}/refund`,
      body: JSON.stringify({ amount: toPayPalAmount(request.amount) }),
      idempotencyKey: request.idempotencyKey,
    },
    messages.refund,
  );
}

async function captureOfOrder(client: PayPalClient, orderId: string): Promise<string> {
  const order = await retrieveOrder(client, orderId);
  const id = order.purchase_units[0]?.payments?.captures[0]?.id;
  if (id === undefined) throw fail('PAYMENT_REFUSED', 'the order has no payment', { gateway: 'paypal' });
  return id;
}
