import { createSign, createVerify, generateKeyPairSync, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { WebhookRequest } from '../../src/domain/payment.js';
import { type Answer, FaultServer, type ReceivedRequest } from './fault-server.js';

type Json = Record<string, unknown>;

export const payPalKeys = {
  clientId: 'client-local',
  clientSecret: 'paypal-secret-local-0123456789',
  webhookId: 'WH1LOCAL',
};

interface FakeOrder {
  readonly id: string;
  status: string;
  readonly customId: string;
  readonly amount: Json;
  readonly captures: Json[];
}

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const foreignPair = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Used part of PayPal's documented API, with signed webhooks and their verification. */
export class FakePayPal {
  readonly #clock: () => Date;
  readonly #orders = new Map<string, FakeOrder>();
  readonly #captures = new Map<string, Json>();
  readonly #refunds = new Map<string, Json>();
  readonly #answers = new Map<string, Answer>();
  readonly #tokens = new Set<string>();
  #count = 0;
  tokenLifetimeSeconds = 32_400;
  /** The next capture fails like a declined instrument. */
  declineNextCapture = false;

  constructor(clock: () => Date) {
    this.#clock = clock;
  }

  async start(): Promise<FaultServer> {
    return FaultServer.start((request) => this.#answer(request));
  }

  get orderCount(): number {
    return this.#orders.size;
  }

  get refundCount(): number {
    return this.#refunds.size;
  }

  get captureCount(): number {
    return this.#captures.size;
  }

  revokeTokens(): void {
    this.#tokens.clear();
  }

  /** Customer approval; returns PayPal's event. */
  approve(orderId: string): Json {
    const order = this.#orders.get(orderId);
    if (!order) throw new Error(`no order ${orderId}`);
    order.status = 'APPROVED';
    return this.event('CHECKOUT.ORDER.APPROVED', this.#orderJson(order));
  }

  /** `change`: deviations of a wrong capture. */
  captureEvent(orderId: string, change: Json = {}): Json {
    const order = this.#orders.get(orderId);
    if (!order) throw new Error(`no order ${orderId}`);
    const capture = order.captures[0] ?? this.#capture(order);
    Object.assign(capture, change);
    return this.event('PAYMENT.CAPTURE.COMPLETED', capture);
  }

  refundEvent(refundId: string): Json {
    return this.event('PAYMENT.CAPTURE.REFUNDED', this.#refunds.get(refundId) ?? {});
  }

  disputeEvent(captureId: string, status: string, outcome?: string): Json {
    const capture = this.#captures.get(captureId) ?? {};
    return this.event('CUSTOMER.DISPUTE.UPDATED', {
      dispute_id: `PP-D-${captureId}`,
      status,
      create_time: this.#clock().toISOString(),
      dispute_amount: capture['amount'],
      disputed_transactions: [{ seller_transaction_id: captureId }],
      ...(outcome && { dispute_outcome: { outcome_code: outcome } }),
    });
  }

  /** Made outside of the panel with the same account. */
  foreignPayment(): Json {
    const create_time = this.#clock().toISOString();
    const amount = { currency_code: 'EUR', value: '5.00' };
    return this.event('PAYMENT.CAPTURE.COMPLETED', { id: 'FOREIGN1', status: 'COMPLETED', amount, create_time });
  }

  event(event_type: string, resource: Json): Json {
    return { id: this.#id('WH'), event_type, create_time: this.#clock().toISOString(), resource };
  }

  /** As documented: RSA-SHA256 over `id|time|webhook id|CRC-32 of the body`. */
  deliver(event: Json, options: { readonly foreign?: boolean; readonly ageSeconds?: number } = {}): WebhookRequest {
    const rawBody = Buffer.from(JSON.stringify(event, null, 1));
    const id = randomUUID();
    const time = new Date(this.#clock().getTime() - (options.ageSeconds ?? 0) * 1000).toISOString();
    const signer = createSign('RSA-SHA256').update(`${id}|${time}|${payPalKeys.webhookId}|${crc32(rawBody)}`);
    const signature = signer.sign((options.foreign ? foreignPair : pair).privateKey, 'base64');
    return {
      rawBody,
      headers: {
        'paypal-auth-algo': ['SHA256withRSA'],
        'paypal-cert-url': ['https://api.paypal.com/v1/notifications/certs/CERT-1'],
        'paypal-transmission-id': [id],
        'paypal-transmission-time': [time],
        'paypal-transmission-sig': [signature],
      },
    };
  }

  #answer(request: ReceivedRequest): Answer {
    if (request.path === '/v1/oauth2/token') return this.#token(request);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!this.#tokens.has(token)) return problem(401, 'AUTHENTICATION_FAILURE');
    const key = request.headers['paypal-request-id'];
    if (typeof key !== 'string') return this.#route(request);
    const answer = this.#answers.get(`${request.path} ${key}`) ?? this.#route(request);
    if (answer.status < 400) this.#answers.set(`${request.path} ${key}`, answer);
    return answer;
  }

  #token(request: ReceivedRequest): Answer {
    const expected = Buffer.from(`${payPalKeys.clientId}:${payPalKeys.clientSecret}`).toString('base64');
    if (request.headers.authorization !== `Basic ${expected}`) return problem(401, 'invalid_client');
    const token = this.#id('token');
    this.#tokens.add(token);
    return { status: 200, json: { access_token: token, expires_in: this.tokenLifetimeSeconds } };
  }

  #route(request: ReceivedRequest): Answer {
    const [, version, area, kind, id, action] = request.path.split('/');
    const route = `${request.method} ${version}/${area}/${kind}${id ? '/:id' : ''}${action ? `/${action}` : ''}`;
    switch (route) {
      case 'POST v2/checkout/orders':
        return this.#createOrder(JSON.parse(request.body) as Json);
      case 'GET v2/checkout/orders/:id':
        return this.#withOrder(id, (order) => ({ status: 200, json: this.#orderJson(order) }));
      case 'POST v2/checkout/orders/:id/capture':
        return this.#withOrder(id, (order) => this.#captureOrder(order));
      case 'GET v2/payments/captures/:id':
        return okOr404(this.#captures.get(id ?? ''));
      case 'POST v2/payments/captures/:id/refund':
        return this.#refund(id ?? '', JSON.parse(request.body) as Json);
      case 'POST v1/notifications/verify-webhook-signature':
        return { status: 200, json: { verification_status: verifySignature(request.body) ? 'SUCCESS' : 'FAILURE' } };
      case 'GET v1/reporting/transactions':
        return this.#report(request.query);
      default:
        return problem(404, `no route ${route}`);
    }
  }

  #createOrder(body: Json): Answer {
    const [unit] = body['purchase_units'] as Json[];
    const order: FakeOrder = {
      id: this.#id('ORDER'),
      status: 'PAYER_ACTION_REQUIRED',
      customId: String(unit?.['custom_id']),
      amount: unit?.['amount'] as Json,
      captures: [],
    };
    this.#orders.set(order.id, order);
    return { status: 200, json: this.#orderJson(order) };
  }

  #captureOrder(order: FakeOrder): Answer {
    if (this.declineNextCapture) {
      this.declineNextCapture = false;
      return problem(422, 'INSTRUMENT_DECLINED');
    }
    if (order.captures.length > 0) return problem(422, 'ORDER_ALREADY_CAPTURED');
    if (order.status !== 'APPROVED') return problem(422, 'ORDER_NOT_APPROVED');
    this.#capture(order);
    return { status: 201, json: this.#orderJson(order) };
  }

  #capture(order: FakeOrder): Json {
    const capture = {
      id: this.#id('CAPTURE'),
      status: 'COMPLETED',
      amount: { ...order.amount },
      custom_id: order.customId,
      create_time: this.#clock().toISOString(),
      supplementary_data: { related_ids: { order_id: order.id } },
    };
    order.status = 'COMPLETED';
    order.captures.push(capture);
    this.#captures.set(capture.id, capture);
    return capture;
  }

  #refund(captureId: string, body: Json): Answer {
    if (!this.#captures.has(captureId)) return problem(404, 'RESOURCE_NOT_FOUND');
    const id = this.#id('REFUND');
    const href = `https://api-m.paypal.com/v2/payments/captures/${captureId}`;
    const refund = { id, status: 'COMPLETED', amount: body['amount'], links: [{ rel: 'up', href }] };
    this.#refunds.set(id, refund);
    return { status: 201, json: refund };
  }

  #report(query: URLSearchParams): Answer {
    const from = new Date(query.get('start_date') ?? '');
    const to = new Date(query.get('end_date') ?? '');
    if (to.getTime() - from.getTime() > 31 * 86_400_000) return problem(400, 'INVALID_REQUEST');
    const all = [...this.#captures.values()].filter((capture) => {
      const time = new Date(String(capture['create_time']));
      return time >= from && time <= to;
    });
    const page = Number(query.get('page'));
    const details = all.slice((page - 1) * 2, page * 2).map((capture) => ({
      transaction_info: {
        transaction_id: capture['id'],
        transaction_status: 'S',
        transaction_initiation_date: capture['create_time'],
        transaction_amount: capture['amount'],
        custom_field: capture['custom_id'],
      },
    }));
    return { status: 200, json: { total_pages: Math.ceil(all.length / 2), transaction_details: details } };
  }

  #withOrder(id: string | undefined, read: (order: FakeOrder) => Answer): Answer {
    const order = this.#orders.get(id ?? '');
    return order ? read(order) : problem(404, 'RESOURCE_NOT_FOUND');
  }

  #orderJson(order: FakeOrder): Json {
    const href = `https://www.paypal.test/checkoutnow?token=${order.id}`;
    return {
      id: order.id,
      status: order.status,
      links: [{ rel: 'payer-action', href }],
      purchase_units: [
        { custom_id: order.customId, amount: order.amount, payments: { captures: [...order.captures] } },
      ],
    };
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }
}

const problem = (status: number, issue: string): Answer => ({ status, json: { name: issue, details: [{ issue }] } });

function okOr404(json: Json | undefined): Answer {
  return json ? { status: 200, json } : problem(404, 'RESOURCE_NOT_FOUND');
}

/** Over the event's bytes in the request, like PayPal. */
function verifySignature(body: string): boolean {
  const envelope = JSON.parse(body) as Record<string, string>;
  const marker = '"webhook_event":';
  const event = body.slice(body.indexOf(marker) + marker.length, -1);
  const head = `${envelope['transmission_id']}|${envelope['transmission_time']}|${envelope['webhook_id']}`;
  const verifier = createVerify('RSA-SHA256').update(`${head}|${crc32(Buffer.from(event))}`);
  return verifier.verify(pair.publicKey, envelope['transmission_sig'] ?? '', 'base64');
}
