import { AppError } from '@panel/kit/errors';
import type { Route } from './route.js';

/** Documentation and pages of mailed links: public, outside the API. */
const pagePattern = /^(\/api\/v1\/(openapi\.json|brand(\/logo)?)|\/docs(\/[a-z.-]+)?|\/password\/(set|reset))$/;
const pathPattern = /^\/api\/v1(\/([a-z0-9-]+|\{[a-z]+(-[a-z]+)*\}))+$/;

/** Any problem prevents the start: no route without a permission is served. */
export function validateRoutes(routes: readonly Route[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    const shape = name.replace(/\{[^}]*\}/g, '{}');
    if (seen.has(shape)) problems.push(`${name} is declared twice`);
    seen.add(shape);
    problems.push(...validateRoute(route).map((problem) => `${name} ${problem}`));
  }
  return problems;
}

function validateRoute(route: Route): string[] {
  const isAdminPath = route.path.startsWith('/api/v1/admin/');
  const isAuth = route.path.startsWith('/api/v1/auth/');
  // Cookie sign-in: own pages only.
  const isBrowser = route.path.startsWith('/api/v1/browser/');
  const isPage = pagePattern.test(route.path);
  // Authenticated by the provider's signature, which billing checks.
  const isWebhook = route.path.startsWith('/api/v1/billing/webhooks/');
  // Authenticated by the signature in the query, which the service checks; the body is not read.
  const isHook = route.path.startsWith('/api/v1/hooks/');
  // Authorised by the secret link id, checked by the files service.
  const isDownload = route.path.startsWith('/api/v1/downloads/');
  const rules: [boolean, string][] = [
    [pathPattern.test(route.path) || isPage, 'is not a path under /api/v1'],
    [route.summary.trim() !== '', 'has no summary'],
    [typeof route.access?.kind === 'string', 'does not say who may use it'],
    [typeof route.rate === 'string', 'has no rate class'],
    [isAdminPath === (route.access?.kind === 'admin'), 'must need an admin permission exactly when it is under /admin'],
    [
      route.access?.kind !== 'server' || route.path.includes('/servers/{id}'),
      'needs a server but has no /servers/{id}',
    ],
    [
      route.access?.kind !== 'public' || isAuth || isBrowser || isPage || isWebhook || isHook || isDownload,
      'is public outside /auth',
    ],
    [isBrowser === route.isOwnOriginOnly, 'must be for pages of the panel exactly when it is under /browser'],
    [isAuth || isBrowser || route.rate !== 'auth', 'counts as auth outside /auth'],
    [isHook || ['GET', 'DELETE'].includes(route.method) || route.body !== null, 'does not say what body it takes'],
    [route.method !== 'GET' || route.body === null, 'takes a body with GET'],
    [(route.response.kind === 'empty') === (route.status === 204), 'must answer 204 exactly without a body'],
    [
      route.method !== 'GET' || route.response.kind !== 'list' || isListQuery(route.query),
      'is a list without page, per_page, search and sort',
    ],
  ];
  return rules.filter(([isFine]) => !isFine).map(([, problem]) => problem);
}

function isListQuery(query: Route['query']): boolean {
  return ['page', 'per_page', 'search', 'sort'].every((name) => query !== null && name in query.shape);
}

/** Throws for incomplete declarations. */
export function assertValidRoutes(routes: readonly Route[]): void {
  const problems = validateRoutes(routes);
  if (problems.length === 0) return;
  throw new AppError(
    'failed_precondition',
    'ROUTES_INCOMPLETE',
    `the route table is not complete: ${problems.join('; ')}`,
  );
}
