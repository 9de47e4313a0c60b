import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../reasons.js';
import { empty, publicAccess, raw, route, type Route } from '../../declaration/route.js';
import { RawReply } from '../../http/raw-reply.js';

interface Provider {
  /** Only these are passed on. */
  readonly signatureHeaders: readonly string[];
  /** Of its messages. */
  readonly types: readonly string[];
  /** What a message rests on. */
  readonly proof: string;
  /** It repeats what is answered otherwise; null: 204. */
  readonly answer: 'OK' | null;
}

const providers: Readonly<Record<string, Provider>> = {
  stripe: { signatureHeaders: ['stripe-signature'], types: ['application/json'], proof: 'signed by it', answer: null },
  paypal: {
    signatureHeaders: [
      'paypal-auth-algo',
      'paypal-cert-url',
      'paypal-transmission-id',
      'paypal-transmission-sig',
      'paypal-transmission-time',
    ],
    types: ['application/json'],
    proof: 'signed by it',
    answer: null,
  },
  mollie: {
    signatureHeaders: ['x-mollie-signature'],
    types: ['application/x-www-form-urlencoded', 'application/json'],
    proof: 'looked up there',
    answer: 'OK',
  },
};

const maxBytes = 1024 * 1024;

/** Public: the signature over the exact bytes, or a lookup at the provider, is the only proof. Counts against the address. */
export const webhookRoutes: readonly Route[] = Object.entries(providers).map(
  ([gateway, { signatureHeaders, types, proof, answer }]) =>
    route({
      method: 'POST',
      path: `/api/v1/billing/webhooks/${gateway}`,
      summary: `Where ${gateway} reports payments; ${proof}`,
      access: publicAccess,
      rate: 'general',
      body: { kind: 'bytes' as const, types, maxBytes },
      response: answer === null ? empty : raw('text/plain'),
      refusals: [401, 404],
      handler: async ({ body: { bytes }, services, asGateway, rawExchange }) => {
        const headers = pickSingle(rawExchange.request, signatureHeaders);
        await services.payments.receiveWebhook({ gateway, rawBody: bytes, headers }, asGateway);
        return answer === null ? undefined : new RawReply('text/plain', answer);
      },
    }),
);

/** Refuses duplicates: Node joins them, and parsers could differ. */
function pickSingle({ rawHeaders }: IncomingMessage, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!names.includes(name)) continue;
    if (name in picked) throw badRequest(`the header ${name} stands more than once`);
    picked[name] = rawHeaders[index + 1] ?? '';
  }
  return picked;
}
