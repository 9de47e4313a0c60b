import { isAppError } from '@panel/kit/errors';
import { z } from 'zod';
import { type Answer, isTransientStatus, parseAnswer, requestProvider } from '../provider-request.js';
import { fail } from '../reasons.js';

export interface MollieSettings {
  /** `live_…` or `test_…`: it decides the mode. */
  readonly apiKey: string;
  /** Of signed events; null: only the payments' own webhooks are accepted. */
  readonly webhookSecret: string | null;
  readonly apiBase: string;
  /** Per attempt. */
  readonly attemptTimeoutMs: number;
}

interface MollieRequest {
  readonly operation: string;
  readonly path: string;
  /** Creates something, once per key. Without it: GET. */
  readonly create?: { readonly body: unknown; readonly idempotencyKey: string };
}

/** 409: the first request of this key, or an equal refund, is still in progress. */
const transientStatuses = [409];
const maxDetailLength = 200;

const problemAnswer = z.object({ detail: z.string().optional(), field: z.string().optional() });

/** A deadline per attempt, retries under one idempotency key. */
export class MollieClient {
  readonly #settings: MollieSettings;

  constructor(settings: MollieSettings) {
    this.#settings = settings;
  }

  /** Throws GATEWAY_REJECTED with Mollie's status and words, GATEWAY_UNAVAILABLE. */
  async call<T>({ operation, path, create }: MollieRequest, schema: z.ZodType<T>): Promise<T> {
    const { apiKey, apiBase, attemptTimeoutMs } = this.#settings;
    const headers: Record<string, string> = { authorization: `Bearer ${apiKey}`, accept: 'application/hal+json' };
    if (create) {
      headers['content-type'] = 'application/json';
      headers['idempotency-key'] = create.idempotencyKey;
    }
    const init = create ? { method: 'POST', headers, body: JSON.stringify(create.body) } : { method: 'GET', headers };
    const url = new URL(path, apiBase);
    const answer = await requestProvider({ url, init, attemptTimeoutMs, isRepeatable: true, transientStatuses });
    return this.#read(operation, answer, schema);
  }

  /** As `call`; null for what this key does not know, or no longer. */
  async find<T>(request: MollieRequest, schema: z.ZodType<T>): Promise<T | null> {
    try {
      return await this.call(request, schema);
    } catch (error) {
      if (isRefusal(error, 404, 410)) return null;
      throw error;
    }
  }

  #read<T>(operation: string, answer: Answer, schema: z.ZodType<T>): T {
    const facts = { gateway: 'mollie', operation };
    if (answer.kind === 'lost') throw fail('GATEWAY_UNAVAILABLE', 'Mollie did not answer', facts);
    const { status } = answer;
    if (isTransientStatus(status) || transientStatuses.includes(status)) {
      throw fail('GATEWAY_UNAVAILABLE', 'Mollie failed', { ...facts, status });
    }
    const json = parseAnswer(answer.text);
    if (status >= 400) {
      const { detail = null, field = null } = problemAnswer.safeParse(json).data ?? {};
      const words = detail?.replaceAll(this.#settings.apiKey, '…').slice(0, maxDetailLength) ?? null;
      throw fail('GATEWAY_REJECTED', 'Mollie refused the request', { ...facts, status, field, detail: words });
    }
    const parsed = schema.safeParse(json);
    if (!parsed.success) throw fail('GATEWAY_UNAVAILABLE', 'the answer of Mollie cannot be read', { ...facts, status });
    return parsed.data;
  }
}

export function isRefusal(error: unknown, ...statuses: readonly number[]): boolean {
  return isAppError(error, 'GATEWAY_REJECTED') && statuses.some((status) => error.metadata['status'] === status);
}
