import { createServer, type Server } from 'node:http';
import Koa from 'koa';
import type { RequestMiddleware, RequestState } from '../../src/middleware/request-state.js';

/** `state`: from preceding middleware. */
export async function serveMiddleware(
  ...middleware: readonly RequestMiddleware[]
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const app = new Koa<RequestState>();
  app.silent = true;
  for (const each of middleware) app.use(each);
  const handle = app.callback();
  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Start of every chain. */
export function given(state: Partial<RequestState>): RequestMiddleware {
  return async (ctx, next) => {
    Object.assign(ctx.state, { requestId: 'test-request', ip: '192.0.2.1', startedAt: performance.now() }, state);
    await next();
  };
}

/** Responds 200 with the resulting state. */
export const showState: RequestMiddleware = async (ctx) => {
  const { requestId, trace, ip, query, body } = ctx.state;
  ctx.body = { requestId, trace, ip, query, body };
};
