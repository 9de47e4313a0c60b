import { Stripe } from 'stripe';
import { fail } from '../reasons.js';

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** For tests and proxies; null: Stripe's URL. */
  readonly apiBase: string | null;
  /** Per attempt. */
  readonly attemptTimeoutMs: number;
}

/** After the first attempt. The library reuses the idempotency key. */
const maxRetries = 2;

/** The library waits up to 5 s before each retry. */
const maxBackoffMs = 10_000;

function createStripeClient(settings: StripeSettings): Stripe {
  const base = settings.apiBase === null ? null : new URL(settings.apiBase);
  return new Stripe(settings.secretKey, {
    timeout: settings.attemptTimeoutMs,
    maxNetworkRetries: maxRetries,
    telemetry: false,
    httpClient: Stripe.createNodeHttpClient(),
    ...(base && {
      host: base.hostname,
      port: base.port === '' ? (base.protocol === 'https:' ? 443 : 80) : Number(base.port),
      protocol: base.protocol === 'https:' ? 'https' : 'http',
    }),
  });
}

/** Maps errors and bounds each call as a whole. */
export interface StripeApi {
  readonly stripe: Stripe;
  /** Throws GATEWAY_REJECTED, GATEWAY_UNAVAILABLE, without request data, which contains keys. */
  call<T>(operation: string, request: (stripe: Stripe) => Promise<T>): Promise<T>;
}

export function createStripeApi(settings: StripeSettings): StripeApi {
  const stripe = createStripeClient(settings);
  // The library's timeout restarts with each byte: a slow response would never end.
  const deadlineMs = settings.attemptTimeoutMs * (maxRetries + 1) + maxBackoffMs;
  return {
    stripe,
    call: async (operation, request) => {
      try {
        return await withDeadline(operation, deadlineMs, request(stripe));
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeError)) throw error;
        throw translateStripeError(operation, error);
      }
    },
  };
}

async function withDeadline<T>(operation: string, deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(fail('GATEWAY_UNAVAILABLE', 'Stripe did not answer in time', { gateway: 'stripe', operation }));
    }, deadlineMs);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

function translateStripeError(operation: string, error: InstanceType<typeof Stripe.errors.StripeError>): Error {
  const facts = {
    gateway: 'stripe',
    operation,
    type: error.type,
    code: error.code ?? null,
    requestId: error.requestId,
  };
  const isRejected =
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeCardError ||
    error instanceof Stripe.errors.StripeIdempotencyError ||
    error instanceof Stripe.errors.StripeAuthenticationError ||
    error instanceof Stripe.errors.StripePermissionError;
  return isRejected
    ? fail('GATEWAY_REJECTED', 'Stripe refused the request', facts)
    : fail('GATEWAY_UNAVAILABLE', 'Stripe did not answer', facts);
}
