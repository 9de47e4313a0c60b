import { AppError, type ErrorKind, type Logger } from '@panel/kit';
import type { RequestContext, RequestMiddleware } from '../http/state.js';
import type { AnswerStore } from '../idempotency/answer-store.js';
import type { Seals } from '../idempotency/sealed-answer.js';
import { badRequest, fail } from '../reasons.js';
import type { BytesBody, Route } from '../routes/route.js';

export interface IdempotencyParts {
  readonly answers: AnswerStore;
  readonly seals: Seals;
  readonly log: Logger;
}

const keyPattern = /^[\x21-\x7e]{1,255}$/;
/** After these it is not known whether the work was done; the claim stays until it lapses. */
const unknownOutcomes = new Set<ErrorKind>(['unavailable', 'deadline_exceeded', 'cancelled', 'internal']);

/**
 * `Idempotency-Key` on whatever creates something: the same request again gets the first answer again, for a day. The
 * work is given an id for what it creates, which is the same for the same request, so that even a repetition after a
 * crash, when no answer was kept, finds the object that is there.
 */
export function idempotency(parts: IdempotencyParts, route: Route): RequestMiddleware {
  if (route.status !== 201) return async (_ctx, next) => next();
  return async (ctx, next) => {
    const key = ctx.get('idempotency-key');
    const identity = ctx.state.caller?.identity;
    if (key === '' || identity === undefined) {
      await next();
      return;
    }
    if (!keyPattern.test(key)) throw badRequest('the Idempotency-Key must be 1 to 255 visible ASCII characters');
    const name = parts.seals.nameOf(identity, key);
    const fingerprint = parts.seals.fingerprintOf(ctx.method, ctx.path, bodyText(ctx.state.body));
    const begun = await parts.answers.begin(name, fingerprint);
    if (begun.kind === 'other')
      throw fail('IDEMPOTENCY_KEY_REUSED', 'this Idempotency-Key was used for another request');
    if (begun.kind === 'running') throw fail('IDEMPOTENCY_IN_FLIGHT', 'the first request with this key is under way');
    if (begun.kind === 'done') return replay(parts, ctx, name, begun.answer);
    ctx.state.idempotencyId = parts.seals.creationIdOf(name, fingerprint);
    await workAndKeep(parts, ctx, { name, claim: begun.claim }, next);
  };
}

function bodyText(body: unknown): string | Buffer {
  if (typeof body === 'object' && body !== null && 'bytes' in body) return (body as BytesBody).bytes;
  return JSON.stringify(body ?? null);
}

function replay({ seals }: IdempotencyParts, ctx: RequestContext, name: string, sealed: string): void {
  const answer = seals.open(name, sealed);
  if (answer === null) throw fail('IDEMPOTENCY_KEY_REUSED', 'the first answer cannot be read any more');
  ctx.status = answer.status;
  ctx.body = answer.body;
  ctx.set('Idempotent-Replayed', 'true');
}

async function workAndKeep(
  parts: IdempotencyParts,
  ctx: RequestContext,
  { name, claim }: { readonly name: string; readonly claim: string },
  next: () => Promise<unknown>,
): Promise<void> {
  try {
    await next();
  } catch (error) {
    const isDecided = error instanceof AppError && !unknownOutcomes.has(error.kind);
    if (isDecided) await settled(parts, async () => parts.answers.abandon(name, claim));
    throw error;
  }
  const sealed = parts.seals.seal(name, { status: ctx.status, body: ctx.body });
  await settled(parts, async () => parts.answers.finish(name, claim, sealed));
}

/** The work is done and is answered; that its answer could not be kept is for the log. The claim then lapses. */
async function settled({ log }: IdempotencyParts, keep: () => Promise<void>): Promise<void> {
  try {
    await keep();
  } catch (error) {
    log.warn({ err: error }, 'the answer to a request with an Idempotency-Key was not kept');
  }
}
