import { createHmac } from 'node:crypto';
import type { WebhookRequest } from '../../src/domain/payment.js';
import { type Answer, FaultServer, type ReceivedRequest } from './fault-server.js';

type Json = Record<string, unknown>;

export const mollieKeys = { apiKey: 'test_local0123456789abcdef', webhookSecret: 'mollie-secret-0123456789' };

const keyMs = 3_600_000;

export const card = { cardCountryCode: 'FR', cardLabel: 'Visa', cardNumber: '4242' };

/** Used part of Mollie's documented Payments API. */
export class FakeMollie {
  readonly #clock: () => Date;
  readonly #payments = new Map<string, Json>();
  readonly #refunds = new Map<string, Json[]>();
  readonly #chargebacks = new Map<string, Json[]>();
  readonly #mandates = new Map<string, string>();
  readonly #answers = new Map<string, { readonly answer: Answer; readonly at: number }>();
  #count = 0;
  pageSize = 2;
  /** Of new refunds. */
  refundStatus = 'refunded';

  constructor(clock: () => Date) {
    this.#clock = clock;
  }

  async start(): Promise<FaultServer> {
    return FaultServer.start((request) => this.#answer(request));
  }

  get paymentCount(): number {
    return this.#payments.size;
  }

  get refundCount(): number {
    return [...this.#refunds.values()].flat().length;
  }

  payment(id: string): Json {
    const payment = this.#payments.get(id);
    if (!payment) throw new Error(`no payment ${id}`);
    return payment;
  }

  /** `change`: deviations of a wrong or foreign payment. */
  pay(id: string, change: Json = {}): string {
    const payment = this.payment(id);
    const { sequenceType, customerId } = payment;
    const mandateId = sequenceType === 'first' ? this.#newMandate(String(customerId)) : null;
    const paidAt = this.#now();
    Object.assign(payment, { status: 'paid', paidAt, method: 'creditcard', details: card, mandateId, ...change });
    return id;
  }

  /** `failed`, `canceled`, `expired` or `pending`. */
  end(id: string, status: string, change: Json = {}): string {
    Object.assign(this.payment(id), { status, [`${status}At`]: this.#now(), ...change });
    return id;
  }

  revokeMandate(id: string): void {
    this.#mandates.set(id, 'invalid');
  }

  get latestId(): string {
    return [...this.#payments.keys()].at(-1) ?? '';
  }

  refundByHand(id: string, value: string, status = 'refunded'): string {
    return String(this.#newRefund(id, { amount: { currency: 'EUR', value }, metadata: null, status })['id']);
  }

  /** `failed`, `processing` or others. */
  turnRefund(refundId: string, status: string): string {
    const [paymentId, refund] = this.#refundOf(refundId);
    Object.assign(refund, { status });
    return paymentId;
  }

  paymentOfRefund(refundId: string): string {
    return this.#refundOf(refundId)[0];
  }

  /** One of each payment. */
  chargeBack(id: string, reversedAt: string | null = null): string {
    const chargeback = { id: `chb_${id}`, amount: this.payment(id)['amount'], createdAt: this.#now(), reversedAt };
    this.#chargebacks.set(id, [chargeback]);
    return id;
  }

  /** Made outside of the panel with the same account. */
  foreignPayment(metadata: unknown = null): string {
    const amount = { currency: 'EUR', value: '5.00' };
    return String(this.#newPayment({ amount, metadata, status: 'paid', paidAt: this.#now() })['id']);
  }

  /** An own one, as if made long ago. */
  addPaid(invoiceId: string, createdAt: Date, paidAt = createdAt): string {
    const metadata = { invoice_id: invoiceId, customer_id: 'c' };
    const times = { createdAt: createdAt.toISOString(), paidAt: paidAt.toISOString() };
    const amount = { currency: 'EUR', value: '12.34' };
    return String(this.#newPayment({ amount, metadata, status: 'paid', ...times })['id']);
  }

  /** That of the payment itself. */
  deliver(paymentId: string): WebhookRequest {
    return { rawBody: Buffer.from(`id=${paymentId}`), headers: {} };
  }

  event(type: string, entity: Json): Json {
    const createdAt = this.#now();
    const entityId = entity['id'];
    return { resource: 'event', id: this.#id('event'), type, entityId, createdAt, _embedded: { entity } };
  }

  /** That of a subscription: HMAC-SHA256 over the body, without a time of its own. */
  deliverEvent(event: Json, options: { readonly secret?: string; readonly ageSeconds?: number } = {}): WebhookRequest {
    const createdAt = new Date(this.#clock().getTime() - (options.ageSeconds ?? 0) * 1000).toISOString();
    const rawBody = Buffer.from(JSON.stringify({ ...event, createdAt }));
    const signature = createHmac('sha256', options.secret ?? mollieKeys.webhookSecret)
      .update(rawBody)
      .digest('hex');
    return { rawBody, headers: { 'x-mollie-signature': [`sha256=${signature}`] } };
  }

  #answer(request: ReceivedRequest): Answer {
    if (request.headers.authorization !== `Bearer ${mollieKeys.apiKey}`) return problem(401, 'bad key');
    if (request.method === 'GET') return this.#read(request);
    const key = `${request.path} ${String(request.headers['idempotency-key'])}`;
    const known = this.#answers.get(key);
    if (known && this.#clock().getTime() - known.at < keyMs) return known.answer;
    const answer = this.#create(request.path, JSON.parse(request.body) as Json);
    const copy = { ...answer, json: structuredClone(answer.json) };
    if (answer.status < 400) this.#answers.set(key, { answer: copy, at: this.#clock().getTime() });
    return copy;
  }

  #read({ path, query }: ReceivedRequest): Answer {
    const [, , area, id = '', kind, innerId = ''] = path.split('/');
    if (area === 'payments' && id === '') return this.#list('/v2/payments', [...this.#payments.values()], query);
    if (area === 'payments') return okOr404(this.#shown(id, query.get('embed') ?? ''));
    if (area === 'customers' && kind === 'payments') {
      const own = [...this.#payments.values()].filter(({ customerId }) => customerId === id);
      return this.#list(path, own, query);
    }
    const status = this.#mandates.get(innerId);
    return okOr404(kind === 'mandates' && status ? { id: innerId, status } : null);
  }

  #create(path: string, body: Json): Answer {
    const [, , area, id = '', kind] = path.split('/');
    if (area === 'customers') return created({ id: this.#id('cst'), email: body['email'] });
    if (kind === 'refunds') return this.#refund(id, body);
    return body['sequenceType'] === 'recurring' ? this.#charge(body) : created(this.#newPayment(body));
  }

  #charge(body: Json): Answer {
    const mandateId = String(body['mandateId']);
    if (this.#mandates.get(mandateId) === 'invalid') return problem(422, 'The mandate is invalid');
    const common = { ...body, method: 'creditcard', details: card };
    if (mandateId.includes('debit')) return created(this.#newPayment({ ...common, ...debit }));
    if (!mandateId.includes('declined')) {
      return created(this.#newPayment({ ...common, status: 'paid', paidAt: this.#now() }));
    }
    const details = { ...card, failureReason: 'insufficient_funds' };
    return created(this.#newPayment({ ...common, status: 'failed', details }));
  }

  #refund(id: string, body: Json): Answer {
    const payment = this.#payments.get(id);
    const { value } = body['amount'] as { value: string };
    const left = (this.#refunds.get(id) ?? [])
      .filter(({ status }) => status !== 'failed' && status !== 'canceled')
      .reduce((rest, { amount }) => rest - Number((amount as Json)['value']), Number(amountOf(payment)));
    if (payment?.['status'] !== 'paid' || Number(value) > left + 0.001) return problem(422, 'The amount is too high');
    return created(this.#newRefund(id, { ...body, status: this.refundStatus }));
  }

  #list(path: string, all: readonly Json[], query: URLSearchParams): Answer {
    const newest = all.toSorted((a, b) => String(b['createdAt']).localeCompare(String(a['createdAt'])));
    const from = query.get('from');
    const start = from === null ? 0 : newest.findIndex(({ id }) => id === from);
    const size = Math.min(Number(query.get('limit')), this.pageSize);
    const next = newest[start + size]?.['id'] as string | undefined;
    // Its host is never called.
    const link = next ? { href: `https://api.mollie.test${path}?from=${next}&limit=${size}` } : null;
    const payments = newest.slice(start, start + size);
    return { status: 200, json: { count: payments.length, _embedded: { payments }, _links: { next: link } } };
  }

  #shown(id: string, embed: string): Json | null {
    const payment = this.#payments.get(id);
    if (!payment) return null;
    const { status } = payment;
    const links = status === 'open' ? { checkout: { href: `https://www.mollie.test/checkout/${id}` } } : {};
    const embedded = {
      ...(embed.includes('refunds') && { refunds: this.#refunds.get(id) ?? [] }),
      ...(embed.includes('chargebacks') && { chargebacks: this.#chargebacks.get(id) ?? [] }),
    };
    return { ...payment, _links: links, _embedded: embedded };
  }

  #newPayment(fields: Json): Json {
    const id = this.#id('tr');
    const checkout = { href: `https://www.mollie.test/checkout/${id}` };
    const fresh = { sequenceType: 'oneoff', details: null, ...fields };
    const payment: Json = { status: 'open', createdAt: this.#now(), _links: { checkout }, ...fresh, id };
    this.#payments.set(id, payment);
    return payment;
  }

  #newRefund(paymentId: string, fields: Json): Json {
    const refund: Json = { createdAt: this.#now(), ...fields, paymentId, id: this.#id('re') };
    this.#refunds.set(paymentId, [...(this.#refunds.get(paymentId) ?? []), refund]);
    return refund;
  }

  #newMandate(customerId: string): string {
    const id = this.#id(`mdt_${customerId}`);
    this.#mandates.set(id, 'valid');
    return id;
  }

  #refundOf(refundId: string): [string, Json] {
    for (const [paymentId, refunds] of this.#refunds) {
      const refund = refunds.find(({ id }) => id === refundId);
      if (refund) return [paymentId, refund];
    }
    throw new Error(`no refund ${refundId}`);
  }

  #now(): string {
    return this.#clock().toISOString();
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${String(this.#count).padStart(6, '0')}`;
  }
}

/** Its money arrives in days. */
export const debit = {
  status: 'pending',
  method: 'directdebit',
  details: { consumerAccount: 'NL53INGB0654422370' },
};

function amountOf(payment: Json | undefined): unknown {
  return (payment?.['amount'] as Json | undefined)?.['value'] ?? 0;
}

const created = (json: Json): Answer => ({ status: 201, json });
const problem = (status: number, detail: string): Answer => ({ status, json: { status, title: 'Error', detail } });

function okOr404(json: Json | null): Answer {
  return json ? { status: 200, json } : problem(404, 'No such resource');
}
