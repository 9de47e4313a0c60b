import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AppError } from '@panel/kit/errors';
import { answerAndDrain, drainRequest } from '@panel/kit/http';
import type { Logger } from '@panel/kit/process';
import { type ErrorResponse, toErrorResponse, errorBody } from '@panel/rpc';
import type { GatewayConfig } from '../config.js';
import { awaitsContinue } from '../http/http-server.js';
import { isExceeded } from '../limits/rules.js';
import { undocumentedFailure } from '../openapi/check-failure.js';
import type { RequestContext, RequestMiddleware } from './request-state.js';

/** Above, closing is cheaper than draining. */
const maxDrainBytes = 8 * 1024 * 1024;

/**
 * The only source of error envelopes. Logs own faults in full. With `checkResponses`, an undocumented status or reason
 * is a defect.
 */
export function errorEnvelope(
  log: Logger,
  { checkResponses }: Pick<GatewayConfig, 'checkResponses'> = { checkResponses: false },
): RequestMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      if (ctx.headerSent) throw thrown;
      const error = (checkResponses && undocumented(ctx, thrown)) || thrown;
      render(ctx, error);
      report(log, ctx, error);
    }
  };
}

function undocumented({ state: { route } }: RequestContext, error: unknown): TypeError | null {
  return route ? undocumentedFailure(route, toErrorResponse(error)) : null;
}

function render(ctx: RequestContext, error: unknown): void {
  const answer = toErrorResponse(error);
  showExhaustedLimit(ctx, answer);
  ctx.status = answer.status;
  ctx.body = errorBody(answer);
  if (answer.retryAfterSeconds > 0) ctx.set('Retry-After', `${answer.retryAfterSeconds}`);
  if (answer.headers) ctx.set(answer.headers);
  if (answer.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  leaveBody(ctx, Buffer.from(JSON.stringify(ctx.body)));
}

/** Headers of a 429 are of what is exhausted: the request's own limits have not refused it. */
function showExhaustedLimit({ state }: RequestContext, { exhaustedMax: max, retryAfterSeconds }: ErrorResponse): void {
  if (max === undefined || (state.rate && isExceeded(state.rate))) return;
  state.rate = { limit: max, used: max, resetsAt: Date.now() + retryAfterSeconds * 1_000 };
}

/** An unread body can keep the client from reading the response. */
function leaveBody(ctx: RequestContext, answer: Buffer): void {
  if (awaitsContinue(ctx.req)) {
    // the body was never requested
    ctx.set('Connection', 'close');
    return;
  }
  if (ctx.req.complete) return;
  if (isSmall(ctx.req)) {
    void drainRequest(ctx.req);
    return;
  }
  ctx.set('Connection', 'close');
  const type = ctx.response.get('Content-Type');
  ctx.body = Readable.from(answerAndDrain(answer, ctx.req), { objectMode: false });
  ctx.set('Content-Type', type);
  ctx.length = answer.length;
}

function isSmall({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding === undefined && Number(length ?? 0) <= maxDrainBytes;
}

function report(log: Logger, ctx: RequestContext, error: unknown): void {
  const { requestId, route } = ctx.state;
  const facts = { requestId, route: route?.path, err: error };
  if (ctx.status === 500) log.error(facts, 'a request failed unexpectedly');
  else if (ctx.status === 503) log.warn({ ...facts, reason: reasonOf(error) }, 'a service did not answer');
}

function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.reason : 'UNKNOWN';
}
