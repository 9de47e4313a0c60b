import Router from '@koa/router';
import type { RequestMiddleware, RequestState } from './request-state.js';
import type { Route } from '../declaration/route.js';

type Pipeline = (route: Route) => readonly RequestMiddleware[];

interface Mounted {
  readonly route: Route;
  readonly run: RequestMiddleware;
}

/**
 * Exact match: case and trailing slash count. Sets `Allow` for another method. Many small routers, composed once: a
 * single one would scan 150 routes and compose middleware per request.
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
  const fixedPaths = new Set(routes.map(({ path }) => path).filter((path) => !path.includes('{')));
  const find = (method: string, path: string) => {
    // HEAD: the GET response without body.
    const router = routers.get(groupOf(method === 'HEAD' ? 'GET' : method, path));
    const layer = router?.match(path, method).pathAndMethod[0];
    const found = mounted.get(layer);
    // A fixed path is no id: `DELETE /eggs/import` does not delete the egg "import".
    if (!layer || !found || (found.route.path !== path && fixedPaths.has(path))) return null;
    return { ...found, layer };
  };
  const methodsOf = (path: string): string => {
    const isKnown = (method: string) => find(method, path) !== null;
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(isKnown);
    return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  };
  return (ctx, next) => {
    const { path, method } = ctx;
    const found = find(method, path);
    if (found === null) {
      const allowed = methodsOf(path);
      if (allowed !== '') ctx.set('Allow', allowed);
      return next();
    }
    ctx.state.route = found.route;
    ctx.state.params = found.layer.params(path, found.layer.captures(path));
    return found.run(ctx, next);
  };
}

/** Length and first segment after /api/v1, equal for a path and its routes. */
function groupOf(method: string, path: string): string {
  const parts = path.split('/');
  return `${method} ${parts.length} ${parts[3] ?? ''}`;
}

function compose(middleware: readonly RequestMiddleware[]): RequestMiddleware {
  return middleware.reduceRight<RequestMiddleware>(
    (rest, each) => (ctx, next) => each(ctx, () => rest(ctx, next)),
    (_ctx, next) => next(),
  );
}

/** Fixed segments first: `/eggs/import` is no egg id. */
function sortForMatching(routes: readonly Route[]): Route[] {
  return [...routes].sort((a, b) => a.path.split('{').length - b.path.split('{').length);
}

function koaPath(path: string): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => `:${name.replaceAll('-', '_')}`);
}
