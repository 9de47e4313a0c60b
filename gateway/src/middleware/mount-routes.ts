import Router from '@koa/router';
import type { RequestMiddleware, RequestState } from './request-state.js';
import type { Route } from '../declaration/route.js';

/** Builds the checks of one route, in their order. */
export type Pipeline = (route: Route) => readonly RequestMiddleware[];

interface Mounted {
  readonly route: Route;
  readonly run: RequestMiddleware;
}

/**
 * Every route of the table behind its checks. Paths match exactly: case and trailing slash count. A router tries its
 * routes one after the other and joins their middleware anew for each request, which at 150 routes costs more than all
 * checks together; so there are many small routers, and what they find has been joined before.
 */
export function mountRoutes(routes: readonly Route[], pipeline: Pipeline): RequestMiddleware {
  const routers = new Map<string, Router<RequestState>>();
  const mounted = new Map<unknown, Mounted>();
  for (const route of sortForMatching(routes)) {
    const group = groupOf(route.method, route.path);
    const router = routers.get(group) ?? new Router<RequestState>({ strict: true, sensitive: true });
    routers.set(group, router);
    router.register(koaPath(route.path), [route.method.toLowerCase()], [(_ctx, next) => next()]);
    mounted.set(router.stack.at(-1), { route, run: compose(pipeline(route)) });
  }
  return (ctx, next) => {
    const { path, method } = ctx;
    // A HEAD is answered like the GET it stands for, without the body.
    const router = routers.get(groupOf(method === 'HEAD' ? 'GET' : method, path));
    const layer = router?.match(path, method).pathAndMethod[0];
    const found = mounted.get(layer);
    if (!layer || !found) return next();
    ctx.state.route = found.route;
    ctx.state.params = layer.params(path, layer.captures(path));
    return found.run(ctx, next);
  };
}

/** What a path and every route that matches it have in common: its length and its first word after /api/v1. */
function groupOf(method: string, path: string): string {
  const parts = path.split('/');
  return `${method} ${parts.length} ${parts[3] ?? ''}`;
}

/** Some middleware as one. */
function compose(middleware: readonly RequestMiddleware[]): RequestMiddleware {
  return middleware.reduceRight<RequestMiddleware>(
    (rest, each) => (ctx, next) => each(ctx, async () => rest(ctx, next)),
    (_ctx, next) => next(),
  );
}

/** Fixed words before parameters, so that `/eggs/import` is not an egg with the id "import". */
function sortForMatching(routes: readonly Route[]): Route[] {
  return [...routes].sort((a, b) => a.path.split('{').length - b.path.split('{').length);
}

function koaPath(path: string): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => `:${name.replaceAll('-', '_')}`);
}
