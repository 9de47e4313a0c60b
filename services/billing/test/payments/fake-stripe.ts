import { createHmac } from 'node:crypto';
import type { WebhookRequest } from '../../src/domain/payment.js';
import { type Answer, FaultServer, type ReceivedRequest } from './fault-server.js';

type Json = Record<string, unknown>;

export const stripeKeys = { secretKey: 'sk_test_local_0123456789', webhookSecret: 'whsec_local_0123456789' };

/** Used part of Stripe's documented API, with signed webhooks. */
export class FakeStripe {
  readonly #clock: () => Date;
  readonly #sessions = new Map<string, Json>();
  readonly #intents = new Map<string, Json>();
  readonly #refunds = new Map<string, Json>();
  readonly #answers = new Map<string, { readonly body: string; readonly answer: Answer }>();
  #server: FaultServer | null = null;
  #count = 0;

  constructor(clock: () => Date) {
    this.#clock = clock;
  }

  async start(): Promise<FaultServer> {
    this.#server = await FaultServer.start((request) => this.#answer(request));
    return this.#server;
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  get refundCount(): number {
    return this.#refunds.size;
  }

  get intentCount(): number {
    return this.#intents.size;
  }

  /** Returns Stripe's event. `change`: deviations of a wrong or foreign payment. */
  pay(sessionId: string, change: Json = {}): Json {
    const session = this.#sessions.get(sessionId);
    if (!session) throw new Error(`no session ${sessionId}`);
    const data = session['payment_intent_data'] as Json;
    const intent = this.#newIntent({
      amount: session['amount_total'],
      currency: session['currency'],
      metadata: data['metadata'],
      setup_future_usage: data['setup_future_usage'] ?? null,
      customer: data['setup_future_usage'] ? 'cus_saved' : null,
      payment_method: { id: 'pm_saved', type: 'card', card: { brand: 'visa', last4: '4242', country: 'FR' } },
      ...change,
    });
    const payment_status = intent['status'] === 'succeeded' ? 'paid' : 'unpaid';
    Object.assign(session, { status: 'complete', payment_status, payment_intent: intent['id'], url: null });
    return this.event('checkout.session.completed', session);
  }

  /** Stripe's other event of the same payment. */
  reportAgain(sessionId: string): Json {
    const intent = this.#intents.get(String(this.#sessions.get(sessionId)?.['payment_intent']));
    return this.event('payment_intent.succeeded', intent ?? {});
  }

  /** The end of a debit that was accepted as `processing`. */
  settle(intentId: string, status: 'succeeded' | 'requires_payment_method'): Json {
    const intent = this.#intents.get(intentId);
    if (!intent) throw new Error(`no intent ${intentId}`);
    const isPaid = status === 'succeeded';
    Object.assign(intent, { status, amount_received: isPaid ? intent['amount'] : 0 });
    return this.event(isPaid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent);
  }

  get latestIntentId(): string {
    return [...this.#intents.keys()].at(-1) ?? '';
  }

  expire(sessionId: string): Json {
    const session = this.#sessions.get(sessionId);
    if (!session) throw new Error(`no session ${sessionId}`);
    Object.assign(session, { status: 'expired', url: null });
    return this.event('checkout.session.expired', session);
  }

  refundEvent(refundId: string): Json {
    return this.event('refund.updated', this.#refunds.get(refundId) ?? {});
  }

  /** Refund on the provider's pages. */
  refundByHand(intentId: string, amount: number): string {
    const intent = this.#intents.get(intentId);
    if (!intent) throw new Error(`no intent ${intentId}`);
    intent['amount_refunded'] = Number(intent['amount_refunded']) + amount;
    const id = this.#id('re');
    const { currency } = intent;
    this.#refunds.set(id, { id, object: 'refund', payment_intent: intentId, amount, currency, status: 'succeeded' });
    return id;
  }

  disputeEvent(intentId: string, status: string): Json {
    const intent = this.#intents.get(intentId) ?? {};
    return this.event('charge.dispute.updated', {
      id: `dp_${intentId}`,
      object: 'dispute',
      payment_intent: intentId,
      amount: intent['amount'],
      currency: intent['currency'],
      status,
    });
  }

  /** Made outside of the panel with the same account. */
  foreignPayment(): Json {
    return this.event('payment_intent.succeeded', this.#newIntent({ amount: 500, currency: 'eur', metadata: {} }));
  }

  event(type: string, object: Json): Json {
    const created = Math.floor(this.#clock().getTime() / 1000);
    return { id: this.#id('evt'), object: 'event', type, created, api_version: 'x', data: { object } };
  }

  /** As documented: HMAC-SHA256 over `timestamp.body`. */
  deliver(event: Json, options: { readonly secret?: string; readonly ageSeconds?: number } = {}): WebhookRequest {
    const rawBody = Buffer.from(JSON.stringify(event));
    const timestamp = Math.floor(this.#clock().getTime() / 1000) - (options.ageSeconds ?? 0);
    const hmac = createHmac('sha256', options.secret ?? stripeKeys.webhookSecret);
    const signature = hmac.update(`${timestamp}.`).update(rawBody).digest('hex');
    return { rawBody, headers: { 'stripe-signature': [`t=${timestamp},v1=${signature}`] } };
  }

  #answer(request: ReceivedRequest): Answer {
    if (request.headers.authorization !== `Bearer ${stripeKeys.secretKey}`) {
      return { status: 401, json: { error: { type: 'invalid_request_error', message: 'bad key' } } };
    }
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string') return this.#route(request);
    const earlier = this.#answers.get(key);
    if (earlier && earlier.body !== request.body) {
      return { status: 400, json: { error: { type: 'idempotency_error', message: 'other parameters' } } };
    }
    const answer = earlier?.answer ?? this.#route(request);
    this.#answers.set(key, { body: request.body, answer });
    return answer;
  }

  #route(request: ReceivedRequest): Answer {
    const form = new URLSearchParams(request.body);
    const route = `${request.method} ${request.path.replace(/\/(cs|pi)_[^/]+$/, '/:id')}`;
    const id = request.path.split('/').at(-1) ?? '';
    switch (route) {
      case 'POST /v1/checkout/sessions':
        return ok(this.#createSession(form));
      case 'GET /v1/checkout/sessions/:id':
        return okOr404(this.#sessions.get(id));
      case 'POST /v1/payment_intents':
        return this.#charge(form);
      case 'GET /v1/payment_intents/:id':
        return okOr404(this.#intents.get(id));
      case 'GET /v1/payment_intents':
        return this.#list(request.query);
      case 'POST /v1/refunds':
        return this.#refund(form);
      default:
        return { status: 404, json: { error: { type: 'invalid_request_error', message: `no ${route}` } } };
    }
  }

  #createSession(form: URLSearchParams): Json {
    const id = this.#id('cs_test');
    const price = 'line_items[0][price_data]';
    const session = {
      id,
      object: 'checkout.session',
      url: `https://checkout.stripe.test/c/${id}`,
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: null,
      amount_total: Number(form.get(`${price}[unit_amount]`)),
      currency: form.get(`${price}[currency]`),
      created: Math.floor(this.#clock().getTime() / 1000),
      expires_at: Math.floor(this.#clock().getTime() / 1000) + 86_400,
      metadata: metadataOf(form, 'metadata'),
      payment_intent_data: {
        metadata: metadataOf(form, 'payment_intent_data[metadata]'),
        setup_future_usage: form.get('payment_intent_data[setup_future_usage]'),
      },
    };
    this.#sessions.set(id, session);
    return session;
  }

  #charge(form: URLSearchParams): Answer {
    const method = form.get('payment_method') ?? '';
    if (method.startsWith('pm_declined')) {
      const error = { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds', message: 'no' };
      return { status: 402, json: { error } };
    }
    const intent = this.#newIntent({
      amount: Number(form.get('amount')),
      currency: form.get('currency'),
      metadata: metadataOf(form, 'metadata'),
      customer: form.get('customer'),
      payment_method: method,
      ...(method.startsWith('pm_debit') ? processing : {}),
    });
    return ok(intent);
  }

  #refund(form: URLSearchParams): Answer {
    const intentId = form.get('payment_intent') ?? '';
    const intent = this.#intents.get(intentId);
    const amount = Number(form.get('amount'));
    if (!intent || amount > Number(intent['amount_received']) - Number(intent['amount_refunded'])) {
      return { status: 400, json: { error: { type: 'invalid_request_error', code: 'amount_too_large', message: '' } } };
    }
    intent['amount_refunded'] = Number(intent['amount_refunded']) + amount;
    const id = this.#id('re');
    const { currency } = intent;
    const refund = { id, object: 'refund', payment_intent: intentId, amount, currency, status: 'succeeded' };
    this.#refunds.set(id, refund);
    return ok(refund);
  }

  #list(query: URLSearchParams): Answer {
    const from = Number(query.get('created[gte]'));
    const to = Number(query.get('created[lt]'));
    const all = [...this.#intents.values()].filter(({ created }) => Number(created) >= from && Number(created) < to);
    const after = query.get('starting_after');
    const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const data = all.slice(start, start + 2);
    return ok({ object: 'list', data, has_more: start + 2 < all.length });
  }

  #newIntent(fields: Json): Json {
    const intent: Json = {
      id: this.#id('pi'),
      object: 'payment_intent',
      status: 'succeeded',
      created: Math.floor(this.#clock().getTime() / 1000),
      amount_received: fields['amount'],
      amount_refunded: 0,
      setup_future_usage: null,
      customer: null,
      payment_method: null,
      ...fields,
    };
    this.#intents.set(String(intent['id']), intent);
    return intent;
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${this.#count}`;
  }
}

/** A debit: its money arrives in days. */
export const processing = { status: 'processing', amount_received: 0 };

const ok = (json: unknown): Answer => ({ status: 200, json });

function okOr404(json: Json | undefined): Answer {
  if (json) return ok(json);
  return { status: 404, json: { error: { type: 'invalid_request_error', code: 'resource_missing', message: '' } } };
}

function metadataOf(form: URLSearchParams, prefix: string): Json {
  const entries = [...form].filter(([name]) => name.startsWith(`${prefix}[`));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length + 1, -1), value]));
}
