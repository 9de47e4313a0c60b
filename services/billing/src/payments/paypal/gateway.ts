import { isAppError } from '@panel/kit/errors';
import type {
  GatewayPayment,
  PaymentEvent,
  PaymentSessionRequest,
  PaymentSessionResult,
  RefundRequest,
  RefundResult,
} from '../../domain/payment.js';
import type { PaymentGateway } from '../payment-gateway.js';
import { isConvertible } from '../provider-amount.js';
import { fail } from '../reasons.js';
import { toPayPalAmount } from './amounts.js';
import { PayPalClient, type PayPalSettings } from './client.js';
import { failedOrderEvents, paypalMoney, orderEvents } from './events.js';
import { parsePayPalWebhook } from './webhook.js';
import * as messages from './messages.js';

/** The customer approves an order at PayPal, then it is captured. Methods are not stored. */
export function createPayPalGateway(settings: PayPalSettings, clock: () => Date): PaymentGateway {
  const client = new PayPalClient(settings, clock);
  const confirmOrder = (orderId: string) => confirmSession(client, clock, orderId);
  return {
    name: 'paypal',
    canStoreMethods: false,
    canCharge: (amount) => isConvertible(amount, toPayPalAmount),
    createSession: (request) => createSession(client, request),
    confirmSession: confirmOrder,
    chargeStored: async () => {
      throw fail('STORED_METHODS_NOT_SUPPORTED', 'PayPal keeps no payment methods here', { gateway: 'paypal' });
    },
    refund: (request) => refund(client, request),
    parseWebhook: (request) =>
      parsePayPalWebhook({ client, webhookId: settings.webhookId, clock, confirmOrder }, request),
    listPayments: (since, until) => listPayments(client, since, until),
  };
}

const maxDescriptionLength = 127;

async function createSession(client: PayPalClient, request: PaymentSessionRequest): Promise<PaymentSessionResult> {
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
  if (!link)
    throw fail('GATEWAY_REJECTED', 'the order cannot be approved', { gateway: 'paypal', status: order.status });
  return { kind: 'redirect', url: link.href, gatewayReference: order.id };
}

const orderPath = (id: string): string => `/v2/checkout/orders/${encodeURIComponent(id)}`;

function retrieveOrder(client: PayPalClient, id: string): Promise<messages.Order> {
  return client.call({ operation: 'retrieve order', method: 'GET', path: orderPath(id) }, messages.order);
}

async function confirmSession(client: PayPalClient, clock: () => Date, orderId: string): Promise<PaymentEvent[]> {
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

/** The request id is derived from the order: concurrent callers capture it once. */
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
    if (!isAppError(error, 'GATEWAY_REJECTED')) throw error;
    const { issue } = error.metadata;
    if (issue === 'ORDER_ALREADY_CAPTURED') return orderEvents(await retrieveOrder(client, order.id));
    if (issue === 'INSTRUMENT_DECLINED') return failedOrderEvents(order, 'instrument_declined', clock());
    throw error;
  }
}

async function refund(client: PayPalClient, request: RefundRequest): Promise<RefundResult> {
  const made = await refundCapture(client, request, request.gatewayReference).catch(async (error: unknown) => {
    if (!isAppError(error, 'GATEWAY_REJECTED') || error.metadata['status'] !== 404) throw error;
    return refundCapture(client, request, await captureOfOrder(client, request.gatewayReference));
  });
  if (made.status === 'COMPLETED') return { kind: 'refunded', refundReference: made.id };
  if (made.status === 'PENDING') return { kind: 'pending', refundReference: made.id };
  throw fail('GATEWAY_REJECTED', 'the refund failed', { gateway: 'paypal', status: made.status });
}

function refundCapture(client: PayPalClient, request: RefundRequest, captureId: string): Promise<messages.Refund> {
  return client.call(
    {
      operation: 'refund capture',
      method: 'POST',
      path: `/v2/payments/captures/${encodeURIComponent(captureId)}/refund`,
      body: JSON.stringify({ amount: toPayPalAmount(request.amount), custom_id: request.invoiceId }),
      idempotencyKey: request.idempotencyKey,
    },
    messages.refund,
  );
}

async function captureOfOrder(client: PayPalClient, orderId: string): Promise<string> {
  const order = await retrieveOrder(client, orderId);
  const id = order.purchase_units[0]?.payments?.captures[0]?.id;
  if (id === undefined) throw fail('GATEWAY_REJECTED', 'the order has no payment', { gateway: 'paypal' });
  return id;
}

/** PayPal's limit of a report: 31 days. */
const reportWindowMs = 31 * 24 * 3_600_000;

async function* listPayments(client: PayPalClient, since: Date, until: Date): AsyncGenerator<GatewayPayment> {
  for (let from = since.getTime(); from < until.getTime(); from += reportWindowMs) {
    // Bounds of the report are inclusive, in seconds.
    const to = Math.min(from + reportWindowMs, until.getTime()) - 1000;
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const report = await fetchReport(client, from, to, page);
      pages = report.total_pages;
      for (const { transaction_info: info } of report.transaction_details) {
        const isIncoming = !info.transaction_amount.value.startsWith('-');
        if (info.custom_field === undefined || info.transaction_status !== 'S' || !isIncoming) continue;
        yield {
          gatewayReference: info.transaction_id,
          invoiceId: info.custom_field,
          amount: paypalMoney(info.transaction_amount),
          paidAt: info.transaction_initiation_date,
        };
      }
    }
  }
}

function fetchReport(client: PayPalClient, from: number, to: number, page: number) {
  const query = new URLSearchParams({
    start_date: new Date(from).toISOString(),
    end_date: new Date(to).toISOString(),
    fields: 'transaction_info',
    page_size: '500',
    page: String(page),
  });
  const path = `/v1/reporting/transactions?${query.toString()}`;
  return client.call({ operation: 'list transactions', method: 'GET', path }, messages.transactions);
}
