import { AppError, type ErrorKind } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import type { BytesBody, Route } from '../declaration/route.js';
import type { ResponseEncryption } from '../idempotency/response-encryption.js';
import type { ResponseStore } from '../idempotency/response-store.js';
import { badRequest, fail } from '../reasons.js';
import type { RequestContext, RequestMiddleware } from './request-state.js';

interface IdempotencyDependencies {
  readonly responseStore: ResponseStore;
  readonly responseEncryption: ResponseEncryption;
  readonly log: Logger;
}

const keyPattern = /^[\x21-\x7e]{1,255}$/;
/** Possibly executed: the claim stays until it expires. */
const unknownOutcomes = new Set<ErrorKind>(['unavailable', 'deadline_exceeded', 'cancelled', 'internal']);

/**
 * Replays the first response for a day. The object id is equal for repetitions: after a crash without a stored
 * response, a repetition finds the object.
 */
export function idempotency(dependencies: IdempotencyDependencies, route: Route): RequestMiddleware {
  if (route.status !== 201) return async (_ctx, next) => next();
  const { responseStore, responseEncryption } = dependencies;
  return async (ctx, next) => {
    const key = ctx.get('idempotency-key');
    const identity = ctx.state.caller?.identity;
    if (key === '' || identity === undefined) {
      await next();
      return;
    }
    if (!keyPattern.test(key)) throw badRequest('the Idempotency-Key must be 1 to 255 visible ASCII characters');
    const storageKey = responseEncryption.storageKeyOf(identity, key);
    const fingerprint = responseEncryption.fingerprintOf(ctx.method, ctx.url, bodyText(ctx.state.body));
    const result = await responseStore.claim(storageKey, fingerprint);
    if (result.kind === 'mismatch') {
      throw fail('IDEMPOTENCY_KEY_REUSED', 'this Idempotency-Key was used for a different request');
    }
    if (result.kind === 'in_progress') {
      throw fail('IDEMPOTENCY_IN_FLIGHT', 'the first request with this Idempotency-Key is still in progress');
    }
    if (result.kind === 'completed') return replay(dependencies, ctx, storageKey, result.response);
    ctx.state.idempotencyId = responseEncryption.idempotencyIdOf(storageKey, fingerprint);
    await executeAndStore(dependencies, ctx, { storageKey, claim: result.claim }, next);
  };
}

function bodyText(body: unknown): string | Buffer {
  if (typeof body === 'object' && body !== null && 'bytes' in body) return (body as BytesBody).bytes;
  return JSON.stringify(body ?? null);
}

function replay(
  { responseEncryption }: IdempotencyDependencies,
  ctx: RequestContext,
  storageKey: string,
  encrypted: string,
): void {
  const response = responseEncryption.decrypt(storageKey, encrypted);
  if (response === null) throw fail('IDEMPOTENCY_KEY_REUSED', 'the stored response can no longer be read');
  ctx.status = response.status;
  ctx.body = response.body;
  ctx.set('Idempotent-Replayed', 'true');
}

async function executeAndStore(
  dependencies: IdempotencyDependencies,
  ctx: RequestContext,
  { storageKey, claim }: { readonly storageKey: string; readonly claim: string },
  next: () => Promise<unknown>,
): Promise<void> {
  const { responseStore, responseEncryption } = dependencies;
  try {
    await next();
  } catch (error) {
    const hasNoEffect = error instanceof AppError && !unknownOutcomes.has(error.kind);
    if (hasNoEffect) await logFailure(dependencies, async () => responseStore.release(storageKey, claim));
    throw error;
  }
  const encrypted = responseEncryption.encrypt(storageKey, { status: ctx.status, body: ctx.body });
  await logFailure(dependencies, async () => responseStore.store(storageKey, claim, encrypted));
}

/** Logged: the request is complete, and the claim expires. */
async function logFailure({ log }: IdempotencyDependencies, update: () => Promise<void>): Promise<void> {
  try {
    await update();
  } catch (error) {
    log.warn({ err: error }, 'the response to a request with an Idempotency-Key was not stored');
  }
}
