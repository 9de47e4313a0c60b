import { ConfigError } from '@panel/kit/process';
import { z } from 'zod';
import type { PaymentSettings } from './gateways.js';

const apiBase = z.url({ protocol: /^https?$/, error: 'must look like https://api.example.com' });

const livePayPal = 'https://api-m.paypal.com';

/** A gateway without keys is not offered. */
export const paymentVariables = {
  STRIPE_SECRET_KEY: z.string().optional().describe('secret API key of Stripe'),
  STRIPE_WEBHOOK_SECRET: z.string().optional().describe('signing secret of the Stripe webhook'),
  STRIPE_API_BASE: apiBase.optional().describe('base URL of the Stripe API; the public one unless set'),
  PAYPAL_CLIENT_ID: z.string().optional().describe('client id of the PayPal application'),
  PAYPAL_CLIENT_SECRET: z.string().optional().describe('client secret of the PayPal application'),
  PAYPAL_WEBHOOK_ID: z.string().optional().describe('id of the PayPal webhook'),
  PAYPAL_API_BASE: apiBase.default(livePayPal).describe('base URL of the PayPal API'),
  MOLLIE_API_KEY: z
    .string()
    .regex(/^(?:live|test)_[A-Za-z0-9]{10,}$/, 'must look like live_… or test_…')
    .optional()
    .describe('API key of Mollie; `test_…` takes no money'),
  MOLLIE_WEBHOOK_SECRET: z.string().optional().describe('signing secret of a webhook subscription of Mollie'),
  MOLLIE_API_BASE: apiBase.default('https://api.mollie.com').describe('base URL of the Mollie API'),
};

type ParsedPaymentVariables = z.output<z.ZodObject<typeof paymentVariables>>;

const attemptTimeoutMs = 10_000;

/** Related keys must be complete. */
export function paymentSettings(parsed: ParsedPaymentVariables): PaymentSettings {
  const stripe = allOrNone({
    STRIPE_SECRET_KEY: parsed.STRIPE_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: parsed.STRIPE_WEBHOOK_SECRET,
  });
  const paypal = allOrNone({
    PAYPAL_CLIENT_ID: parsed.PAYPAL_CLIENT_ID,
    PAYPAL_CLIENT_SECRET: parsed.PAYPAL_CLIENT_SECRET,
    PAYPAL_WEBHOOK_ID: parsed.PAYPAL_WEBHOOK_ID,
  });
  const { MOLLIE_API_KEY: mollieKey, MOLLIE_WEBHOOK_SECRET: mollieSecret } = parsed;
  if (mollieKey === undefined && mollieSecret !== undefined) {
    throw new ConfigError(['MOLLIE_WEBHOOK_SECRET is of no use without MOLLIE_API_KEY']);
  }
  return {
    stripe: stripe && {
      secretKey: stripe.STRIPE_SECRET_KEY,
      webhookSecret: stripe.STRIPE_WEBHOOK_SECRET,
      apiBase: parsed.STRIPE_API_BASE ?? null,
      attemptTimeoutMs,
    },
    paypal: paypal && {
      clientId: paypal.PAYPAL_CLIENT_ID,
      clientSecret: paypal.PAYPAL_CLIENT_SECRET,
      webhookId: paypal.PAYPAL_WEBHOOK_ID,
      apiBase: parsed.PAYPAL_API_BASE,
      attemptTimeoutMs,
    },
    mollie:
      mollieKey === undefined
        ? null
        : {
            apiKey: mollieKey,
            webhookSecret: mollieSecret ?? null,
            apiBase: parsed.MOLLIE_API_BASE,
            attemptTimeoutMs,
          },
  };
}

/** A moved clock would charge customers for time that has not passed. Throws ConfigError. */
export function refuseLivePayments({ stripe, paypal, mollie }: PaymentSettings): void {
  const isLive = (stripe && /^[a-z]+_live_/.test(stripe.secretKey)) ?? false;
  const problems = [
    ...(isLive ? ['TEST_CLOCK takes no live STRIPE_SECRET_KEY: use one of a test mode'] : []),
    ...(mollie?.apiKey.startsWith('live_')
      ? ['TEST_CLOCK takes no live MOLLIE_API_KEY: use one of the test mode']
      : []),
    ...(paypal?.apiBase === livePayPal ? ['TEST_CLOCK takes no live PayPal: set PAYPAL_API_BASE to its sandbox'] : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Null: none is set. A partial set throws: it would lose payments. */
function allOrNone<K extends string>(variables: Record<K, string | undefined>): Record<K, string> | null {
  const entries = Object.entries<string | undefined>(variables);
  const set = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (set.length === 0) return null;
  if (set.length === entries.length) return Object.fromEntries(set) as Record<K, string>;
  const names = entries.map(([name]) => name).join(' and ');
  throw new ConfigError([`${names} go together: set all of them, or none`]);
}
