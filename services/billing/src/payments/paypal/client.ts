import { z } from 'zod';
import { type Answer, isTransientStatus, parseAnswer, requestProvider } from '../provider-request.js';
import { fail } from '../reasons.js';

export interface PayPalSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookId: string;
  readonly apiBase: string;
  /** Per attempt. */
  readonly attemptTimeoutMs: number;
}

interface PayPalRequest {
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  /** Required for changes: without it no attempt is repeated. */
  readonly idempotencyKey?: string | undefined;
  /** A POST without changes. */
  readonly isReadOnly?: boolean;
}

const tokenMarginMs = 60_000;

const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const problemAnswer = z.object({
  name: z.string().optional(),
  debug_id: z.string().optional(),
  details: z.array(z.object({ issue: z.string().optional() })).optional(),
});

interface CachedToken {
  readonly value: string;
  readonly expiresAtMs: number;
}

/** Cached access token, a deadline per attempt, retries under one request id. */
export class PayPalClient {
  readonly #settings: PayPalSettings;
  readonly #clock: () => Date;
  #token: CachedToken | null = null;
  #pendingToken: Promise<CachedToken> | null = null;

  constructor(settings: PayPalSettings, clock: () => Date) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Throws GATEWAY_REJECTED with PayPal's issue, GATEWAY_UNAVAILABLE. */
  async call<T>(request: PayPalRequest, schema: z.ZodType<T>): Promise<T> {
    let token = await this.#accessToken();
    let attempt = await this.#withRetries(request, token.value);
    if (attempt.kind === 'answer' && attempt.status === 401) {
      // Revoked early: one retry with a new token.
      if (this.#token === token) this.#token = null;
      token = await this.#accessToken();
      attempt = await this.#withRetries(request, token.value);
    }
    return readAnswer(request.operation, attempt, schema);
  }

  async #withRetries(request: PayPalRequest, token: string): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    if (request.idempotencyKey !== undefined) headers['paypal-request-id'] = request.idempotencyKey;
    if (request.method === 'POST') headers['prefer'] = 'return=representation';
    const isRepeatable =
      request.method === 'GET' || request.isReadOnly === true || request.idempotencyKey !== undefined;
    return this.#attempts(isRepeatable, request.path, { method: request.method, headers, body: request.body ?? null });
  }

  async #attempts(isRepeatable: boolean, path: string, init: RequestInit): Promise<Answer> {
    const { apiBase, attemptTimeoutMs } = this.#settings;
    return requestProvider({ url: new URL(path, apiBase), init, attemptTimeoutMs, isRepeatable });
  }

  /** One token request at a time, shared by all callers. */
  async #accessToken(): Promise<CachedToken> {
    const cached = this.#token;
    if (cached && this.#clock().getTime() < cached.expiresAtMs) return cached;
    this.#pendingToken ??= this.#requestToken().finally(() => {
      this.#pendingToken = null;
    });
    return this.#pendingToken;
  }

  async #requestToken(): Promise<CachedToken> {
    const requestedAtMs = this.#clock().getTime();
    const credentials = Buffer.from(`${this.#settings.clientId}:${this.#settings.clientSecret}`).toString('base64');
    const attempt = await this.#attempts(true, '/v1/oauth2/token', {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const answer = readAnswer('request access token', attempt, tokenAnswer);
    const lifetimeMs = answer.expires_in * 1000;
    const token = {
      value: answer.access_token,
      expiresAtMs: requestedAtMs + lifetimeMs - Math.min(tokenMarginMs, lifetimeMs / 2),
    };
    this.#token = token;
    return token;
  }
}

function readAnswer<T>(operation: string, attempt: Answer, schema: z.ZodType<T>): T {
  const facts = { gateway: 'paypal', operation };
  if (attempt.kind === 'lost') throw fail('GATEWAY_UNAVAILABLE', 'PayPal did not answer', facts);
  const { status } = attempt;
  if (isTransientStatus(status)) throw fail('GATEWAY_UNAVAILABLE', 'PayPal failed', { ...facts, status });
  const json = parseAnswer(attempt.text);
  if (status >= 400) {
    const problem = problemAnswer.safeParse(json).data;
    const issue = problem?.details?.[0]?.issue ?? problem?.name ?? null;
    throw fail('GATEWAY_REJECTED', 'PayPal refused the request', {
      ...facts,
      status,
      issue,
      debugId: problem?.debug_id ?? null,
    });
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw fail('GATEWAY_UNAVAILABLE', 'the answer of PayPal cannot be read', { ...facts, status });
  return parsed.data;
}
