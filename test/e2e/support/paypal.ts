import { createSign, createVerify, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '@panel/kit/async';
import { crc32 } from 'node:zlib';

type Json = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly json: Json;
}

interface Order {
  readonly id: string;
  readonly customId: unknown;
  readonly amount: unknown;
  status: string;
  capture: Json | null;
}

const webhookId = 'WH-LOCAL';
const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const strange = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** Orders, captures, refunds, signed webhooks and their verification. */
export class LocalPayPal {
  readonly #orders = new Map<string, Order>();
  readonly #server = createServer((request, response) => {
    const answer = ({ status, json }: Answer) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    };
    this.#serve(request).then(answer, (error: unknown) => answer({ status: 500, json: { message: String(error) } }));
  });
  /** By PayPal-Request-Id: a repeated request is answered with the first refund. */
  readonly #refunds = new Map<string, string>();
  captures = 0;
  captureDelayMs = 0;

  get refunds(): number {
    return this.#refunds.size;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Environment of an installation with this PayPal. */
  get environment(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      PAYPAL_CLIENT_ID: 'local',
      PAYPAL_CLIENT_SECRET: 'local-secret-0123456789',
      PAYPAL_WEBHOOK_ID: webhookId,
      PAYPAL_API_BASE: `http://127.0.0.1:${port}`,
    };
  }

  /** Approves on the payment page; returns PayPal's event. */
  approve(orderId: string): Json {
    const order = this.#order(orderId);
    order.status = 'APPROVED';
    return event('CHECKOUT.ORDER.APPROVED', this.#shown(order));
  }

  captureEvent(orderId: string): Json {
    return event('PAYMENT.CAPTURE.COMPLETED', this.#order(orderId).capture ?? {});
  }

  #order(id: string): Order {
    const order = this.#orders.get(id);
    if (!order) throw new Error(`no order ${id}`);
    return order;
  }

  async #serve(request: IncomingMessage): Promise<Answer> {
    const body = await readText(request);
    const [, , area, kind, id = '', action] = (request.url ?? '').split('/');
    if (area === 'oauth2') return { status: 200, json: { access_token: 'token', expires_in: 30_000 } };
    if (area === 'notifications') {
      return { status: 200, json: { verification_status: isSigned(body) ? 'SUCCESS' : 'FAILURE' } };
    }
    if (kind === 'captures') {
      const links = [{ rel: 'up', href: `https://api-m.paypal.com/v2/payments/captures/${id}` }];
      return { status: 201, json: { id: this.#refund(request), status: 'COMPLETED', links } };
    }
    // income is searched an hour later
    if (area === 'reporting') return { status: 200, json: { transaction_details: [], total_pages: 1 } };
    if (id === '') return { status: 200, json: this.#shown(this.#create(JSON.parse(body))) };
    if (action !== 'capture') return { status: 200, json: this.#shown(this.#order(id)) };
    await pause(this.captureDelayMs);
    return { status: 201, json: this.#shown(this.#capture(this.#order(id))) };
  }

  #create({ purchase_units: [unit] }: { purchase_units: Json[] }): Order {
    const id = `ORDER${this.#orders.size + 1}`;
    const order = { id, customId: unit?.['custom_id'], amount: unit?.['amount'], status: 'CREATED', capture: null };
    this.#orders.set(id, order);
    return order;
  }

  #capture(order: Order): Order {
    if (order.capture) return order;
    this.captures += 1;
    order.status = 'COMPLETED';
    order.capture = {
      id: `CAPTURE${this.captures}`,
      status: 'COMPLETED',
      amount: order.amount,
      custom_id: order.customId,
      create_time: new Date().toISOString(),
      supplementary_data: { related_ids: { order_id: order.id } },
    };
    return order;
  }

  #refund({ headers }: IncomingMessage): string {
    const requestId = String(headers['paypal-request-id']);
    const id = this.#refunds.get(requestId) ?? `REFUND${this.#refunds.size + 1}`;
    this.#refunds.set(requestId, id);
    return id;
  }

  #shown({ id, status, customId, amount, capture }: Order): Json {
    const payments = { captures: capture ? [capture] : [] };
    return {
      id,
      status,
      links: [{ rel: 'payer-action', href: `https://www.paypal.test/checkoutnow?token=${id}` }],
      purchase_units: [{ custom_id: customId, amount, payments }],
    };
  }
}

function event(type: string, resource: Json): Json {
  return { id: `WH-${randomUUID()}`, event_type: type, create_time: new Date().toISOString(), resource };
}

/** A PayPal webhook: RSA-SHA256 over `id|time|webhook id|CRC-32 of the body`. */
export function signedWebhook(payload: Json, isForged = false): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(payload);
  const [id, time] = [randomUUID(), new Date().toISOString()];
  const signer = createSign('RSA-SHA256').update(`${id}|${time}|${webhookId}|${crc32(body)}`);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'paypal-auth-algo': 'SHA256withRSA',
      'paypal-cert-url': 'https://api.paypal.com/v1/notifications/certs/CERT-1',
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': signer.sign((isForged ? strange : keys).privateKey, 'base64'),
    },
  };
}

/** Over the event's raw bytes in the request. */
function isSigned(body: string): boolean {
  const envelope = JSON.parse(body) as Record<string, string>;
  const marker = '"webhook_event":';
  const signed = body.slice(body.indexOf(marker) + marker.length, -1);
  const head = `${envelope['transmission_id']}|${envelope['transmission_time']}|${envelope['webhook_id']}`;
  const verifier = createVerify('RSA-SHA256').update(`${head}|${crc32(signed)}`);
  return verifier.verify(keys.publicKey, envelope['transmission_sig'] ?? '', 'base64');
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
