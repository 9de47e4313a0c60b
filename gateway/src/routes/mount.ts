import Router from '@koa/router';
import type { RequestMiddleware, RequestState } from '../http/state.js';
import type { Route } from './route.js';

/** Builds the checks of one route, in their order. */
export type Pipeline = (route: Route) => readonly RequestMiddleware[];

/** A router with every route of the table behind its checks. Paths match exactly: case and trailing slash count. */
export function mountRoutes(routes: readonly Route[], pipeline: Pipeline): RequestMiddleware {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const route of inMatchingOrder(routes)) {
    const enter: RequestMiddleware = async (ctx, next) => {
      ctx.state.route = route;
      ctx.state.params = { ...(ctx as { params?: Record<string, string> }).params };
      return next();
    };
    router.register(koaPath(route.path), [route.method === 'GET' ? 'get' : route.method.toLowerCase()], [
      enter,
      ...pipeline(route),
    ] as never);
  }
  return router.routes() as unknown as RequestMiddleware;
}

/** Fixed words before parameters, so that `/eggs/import` is not an egg with the id "import". */
function inMatchingOrder(routes: readonly Route[]): Route[] {
  return [...routes].sort((a, b) => a.path.split('{').length - b.path.split('{').length);
}

function koaPath(path: string): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => `:${name.replaceAll('-', '_')}`);
}
