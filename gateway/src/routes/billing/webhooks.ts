import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../reasons.js';
import { empty, publicAccess, route, type Route } from '../../declaration/route.js';

/** Signature headers by provider; only these are passed on. */
const signatureHeaders: Readonly<Record<string, readonly string[]>> = {
  stripe: ['stripe-signature'],
  paypal: [
    'paypal-auth-algo',
    'paypal-cert-url',
    'paypal-transmission-id',
    'paypal-transmission-sig',
    'paypal-transmission-time',
  ],
};

const body = { kind: 'bytes' as const, types: ['application/json'], maxBytes: 1024 * 1024 };

/** Public: the signature over the exact bytes is the only proof, checked by billing. Counts against the address. */
export const webhookRoutes: readonly Route[] = Object.entries(signatureHeaders).map(([gateway, names]) =>
  route({
    method: 'POST',
    path: `/api/v1/billing/webhooks/${gateway}`,
    summary: `Where ${gateway} reports payments; signed by it`,
    access: publicAccess,
    rate: 'general',
    body,
    response: empty,
    refusals: [401, 404],
    handler: async ({ body: { bytes }, services, asGateway, rawExchange }) => {
      const headers = pickSingle(rawExchange.request, names);
      await services.payments.receiveWebhook({ gateway, rawBody: bytes, headers }, asGateway);
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
