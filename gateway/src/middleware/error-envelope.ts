import { AppError, type Logger } from '@panel/kit';
import { toErrorResponse, errorBody } from '@panel/rpc';
import { awaitsContinue } from '../http/http-server.js';
import type { RequestContext, RequestMiddleware } from './request-state.js';

/** Larger rests of a refused body are not worth reading to keep the connection. */
const maxDrainBytes = 8 * 1024 * 1024;

/** Every failure becomes the one envelope, here and nowhere else. What is our own fault is logged whole. */
export function errorEnvelope(log: Logger): RequestMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (ctx.headerSent) throw error;
      render(ctx, error);
      report(log, ctx, error);
    }
  };
}

function render(ctx: RequestContext, error: unknown): void {
  const answer = toErrorResponse(error);
  ctx.status = answer.status;
  ctx.body = errorBody(answer);
  if (answer.retryAfterSeconds > 0) ctx.set('Retry-After', `${answer.retryAfterSeconds}`);
  if (answer.headers) ctx.set(answer.headers);
  if (answer.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  const declared = Number(ctx.req.headers['content-length'] ?? 0);
  const isLarge = !ctx.req.complete && !(declared <= maxDrainBytes);
  if (isLarge || awaitsContinue(ctx.req)) ctx.set('Connection', 'close');
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
