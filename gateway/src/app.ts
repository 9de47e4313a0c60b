import Koa from 'koa';
import type { GatewayContext } from './context.js';
import type { RequestMiddleware, RequestState } from './middleware/request-state.js';
import { isServerClass } from './limits/rules.js';
import { accessLog } from './middleware/access-log.js';
import { authenticateAndLimit } from './middleware/authenticate-and-limit.js';
import { authorise } from './middleware/authorise.js';
import { compress, isCompressible } from './middleware/compress.js';
import { cors } from './middleware/cors.js';
import { errorEnvelope } from './middleware/error-envelope.js';
import { idempotency } from './middleware/idempotency.js';
import { rateHeaders } from './middleware/rate-headers.js';
import { readBody } from './middleware/read-body.js';
import { requestId } from './middleware/request-id.js';
import { requireOwnOrigin } from './middleware/require-own-origin.js';
import { setSecurityHeaders } from './middleware/security-headers.js';
import { serverQuota } from './middleware/server-quota.js';
import { validate } from './middleware/validate.js';
import { serveSite } from './middleware/serve-site.js';
import { NodeOrigins } from './site/node-origins.js';
import { dispatch } from './middleware/dispatch.js';
import { notFound } from './reasons.js';
import { assertValidRoutes } from './declaration/validate-routes.js';
import { mountRoutes } from './middleware/mount-routes.js';
import { isRepeatable, type Route } from './declaration/route.js';

export type App = Koa<RequestState>;

/** Around every request, known or not. */
const around = (context: GatewayContext, routes: readonly Route[]): RequestMiddleware[] => [
  requestId(context.clientIp, context.tracing), // first, so that everything below can be traced
  setSecurityHeaders(), // before anything can answer
  accessLog(context.requestLog, context.requestMetrics), // sees what was really answered, by any layer
  ...siteMiddleware(context, routes), // outside of every limit: pages and their files are no requests to the API
  rateHeaders(context.limiter), // outside the envelope: errors carry the headers too
  errorEnvelope(context.log, context.config), // everything thrown below becomes an envelope
  cors(context.config.corsOrigins), // a pre-flight has no credentials to check
];

/**
 * Before the work of one route. No body is read for an unauthenticated caller, and nothing is said about an id or
 * a body to a caller who may not use the route at all.
 */
const before = (context: GatewayContext, route: Route): RequestMiddleware[] => [
  authenticateAndLimit(context, route), // rate limit by address, authentication, rate limit by user
  authorise(route), // by role; rights on one server are the servers service's to decide
  ...when(route.isOwnOriginOnly, () => requireOwnOrigin(context)), // cookies are read for pages of our own only
  ...when(route.body !== null, () => readBody(context.bodyBudget, route)), // size and form
  validate(context.services, route), // content
  ...when(isRepeatable(route), () => idempotency(context, route)), // a repeated request has its answer already
  ...when(isServerClass(route.rate), () => serverQuota(context.limiter, context.services, route)), // per server
  ...when(isCompressible(route), () => compress()), // after everything that may refuse
  dispatch(context, route),
];

/** The web console answers for every path whose first word no route has. */
function siteMiddleware({ site, services }: GatewayContext, routes: readonly Route[]): RequestMiddleware[] {
  if (!site) return [];
  const reserved = new Set(routes.map(({ path }) => path.split('/')[1] ?? ''));
  const nodes = new NodeOrigins(services.nodes);
  return [serveSite(site, reserved, async () => nodes.read())];
}

/** What a route has no use for is not even asked. */
function when(isNeeded: boolean, make: () => RequestMiddleware): RequestMiddleware[] {
  return isNeeded ? [make()] : [];
}

/** The application; throws ROUTES_INCOMPLETE unless every route of the table is fully declared. */
export function createApp(context: GatewayContext, routes: readonly Route[]): App {
  assertValidRoutes(routes);
  const app: App = new Koa();
  app.silent = true; // errors after the first byte end the connection and are in the access log
  for (const middleware of around(context, routes)) app.use(middleware);
  app.use(mountRoutes(routes, (route) => before(context, route)));
  app.use(authenticateAndLimit(context, null)); // unknown paths are counted like everything else
  app.use(() => {
    throw notFound();
  });
  return app;
}
