import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly json: Json;
}

interface Payment {
  readonly id: string;
  readonly request: Json;
  status: string;
  paidAt: string | null;
  readonly refunds: Map<string, Json>;
}

const apiKey = 'test_local0123456789abcdef';

/** Payments, refunds, and lookups of them by id. */
export class LocalMollie {
  readonly #payments = new Map<string, Payment>();
  readonly #server = createServer((request, response) => {
    const answer = ({ status, json }: Answer) => {
      response.writeHead(status, { 'content-type': 'application/hal+json' });
      response.end(JSON.stringify(json));
    };
    this.#serve(request).then(answer, (error: unknown) => answer({ status: 500, json: { detail: String(error) } }));
  });
  /** Of single payments. */
  lookups = 0;

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Environment of an installation with this Mollie. */
  get environment(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return { MOLLIE_API_KEY: apiKey, MOLLIE_API_BASE: `http://127.0.0.1:${port}` };
  }

  /** On the payment page. */
  pay(id: string): void {
    Object.assign(this.#payment(id), { status: 'paid', paidAt: new Date().toISOString() });
  }

  cancel(id: string): void {
    this.#payment(id).status = 'canceled';
  }

  refundsOf(id: string): Json[] {
    return [...this.#payment(id).refunds.values()];
  }

  #payment(id: string): Payment {
    const payment = this.#payments.get(id);
    if (!payment) throw new Error(`no payment ${id}`);
    return payment;
  }

  async #serve(request: IncomingMessage): Promise<Answer> {
    if (request.headers.authorization !== `Bearer ${apiKey}`) return { status: 401, json: { detail: 'bad key' } };
    const body = await readText(request);
    const { pathname } = new URL(request.url ?? '/', 'http://mollie.test');
    const [, , , id = '', action] = pathname.split('/');
    const key = String(request.headers['idempotency-key']);
    if (action === 'refunds') return { status: 201, json: this.#refund(this.#payment(id), key, body) };
    if (request.method === 'POST') return { status: 201, json: this.#shown(this.#create(key, body)) };
    if (id === '') {
      const payments = [...this.#payments.values()].toReversed().map((payment) => this.#shown(payment));
      return { status: 200, json: { _embedded: { payments }, _links: { next: null } } };
    }
    this.lookups += 1;
    const payment = this.#payments.get(id);
    return payment
      ? { status: 200, json: this.#shown(payment) }
      : { status: 404, json: { detail: 'No payment exists with this id' } };
  }

  /** Under the key: a repeated request is answered with the first payment. */
  #create(key: string, body: string): Payment {
    const id = `tr_${Buffer.from(key).toString('hex').slice(-24)}`;
    const known = this.#payments.get(id);
    if (known) return known;
    const request = { ...(JSON.parse(body) as Json), createdAt: new Date().toISOString() };
    const payment = { id, request, status: 'open', paidAt: null, refunds: new Map<string, Json>() };
    this.#payments.set(id, payment);
    return payment;
  }

  #refund({ id, refunds }: Payment, key: string, body: string): Json {
    const fresh = { id: `re_${id}${refunds.size}`, status: 'pending', createdAt: new Date().toISOString() };
    const refund = refunds.get(key) ?? { ...(JSON.parse(body) as Json), ...fresh };
    refunds.set(key, refund);
    return refund;
  }

  #shown({ id, request, status, paidAt, refunds }: Payment): Json {
    const { amount, metadata, createdAt } = request;
    const checkout = status === 'open' ? { href: `https://www.mollie.test/checkout/${id}` } : null;
    const details = status === 'paid' ? { consumerAccount: 'NL53INGB0654422370' } : null;
    return {
      id,
      amount,
      metadata,
      createdAt,
      status,
      paidAt,
      details,
      method: 'ideal',
      sequenceType: 'oneoff',
      _links: { checkout },
      _embedded: { refunds: [...refunds.values()], chargebacks: [] },
    };
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
