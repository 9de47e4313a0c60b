import { type Logger, traceIdOf } from '@panel/kit/process';
import type { RequestMetrics } from '../http/request-metrics.js';
import type { RequestContext, RequestMiddleware } from './request-state.js';

const maxLoggedText = 256;

/** One line and measurement per request, at its end or disconnect. Without query strings and secret paths. */
export function accessLog(log: Logger, metrics: RequestMetrics): RequestMiddleware {
  return async (ctx, next) => {
    const { res } = ctx;
    const onClose = () => record(log, metrics, ctx, res.statusCode);
    res.once('close', onClose);
    await next();
    if (ctx.respond !== false) return;
    // Now a WebSocket: this response never ends.
    res.off('close', onClose);
    record(log, metrics, ctx, 101);
  };
}

function record(log: Logger, metrics: RequestMetrics, ctx: RequestContext, status: number): void {
  const { state, req, res } = ctx;
  const route = state.route?.path ?? 'none';
  const durationMs = Math.round((performance.now() - state.startedAt) * 100) / 100;
  metrics.observe(req.method ?? '', route, status, durationMs / 1000);
  state.tracedWork?.end(status >= 500 ? `${status}` : null, {
    name: `${req.method} ${route}`,
    attributes: { 'http.request.method': req.method ?? '', 'http.route': route, 'http.response.status_code': status },
  });
  const isAborted = status !== 101 && !res.writableFinished;
  log.info(
    {
      requestId: state.requestId,
      traceId: traceIdOf(state.trace),
      method: req.method,
      path: (state.route?.isPathSecret ? route : ctx.path).slice(0, maxLoggedText),
      route,
      status,
      durationMs,
      ip: state.ip,
      userId: state.caller?.identity.userId,
      userAgent: req.headers['user-agent']?.slice(0, maxLoggedText),
      ...(isAborted ? { aborted: true } : {}),
    },
    'request',
  );
}
