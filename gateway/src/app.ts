import Koa from 'koa';
import type { GatewayContext } from './context.js';
import { requestId, type RequestMiddleware, type RequestState } from './middleware/request-state.js';
import { accessLog } from './middleware/access-log.js';
import { authenticateAndLimit, authorise } from './middleware/access.js';
import { createdLocation } from './middleware/created-location.js';
import { compress, isCompressible } from './middleware/compress.js';
import { cors, rateHeaders, setSecurityHeaders, showTestClock } from './middleware/response-headers.js';
import { errorEnvelope } from './middleware/error-envelope.js';
import { idempotency } from './middleware/idempotency.js';
import { readBody } from './middleware/read-body.js';
import { requireOwnOrigin } from './middleware/require-own-origin.js';
import { backupQuota } from './middleware/backup-quota.js';
import { validate } from './middleware/validate.js';
import { serveSite } from './middleware/serve-site.js';
import { NodeOrigins } from './site/node-origins.js';
import { dispatch } from './middleware/dispatch.js';
import { notFound } from './reasons.js';
import { assertValidRoutes } from './declaration/validate-routes.js';
import { mountRoutes } from './middleware/mount-routes.js';
import { isRepeatable, type Route } from './declaration/route.js';
import { locationOf } from './routes/locations.js';

export type App = Koa<RequestState>;

/** Of every request, known path or not. */
const around = (context: GatewayContext, routes: readonly Route[]): RequestMiddleware[] => [
  requestId(context.clientIp, context.tracing), // first: all below is traced
  setSecurityHeaders(), // before any response
  ...when(context.config.testClock, () => showTestClock(context.clock)), // of every response
  accessLog(context.requestLog, context.requestMetrics), // records the final status of any layer
  ...siteMiddleware(context, routes), // outside of all limits: not part of the API
  rateHeaders(context.limiter), // outside the envelope: errors have them too
  errorEnvelope(context.log, context.config), // turns errors into envelopes
  cors(context.config.corsOrigins), // pre-flights have no credentials
];

/** Per route. No body is read for unauthenticated callers; ids and bodies stay hidden from unauthorised ones. */
const before = (context: GatewayContext, route: Route, routes: readonly Route[]): RequestMiddleware[] => [
  authenticateAndLimit(context, route), // rate limit by address, authentication, rate limit by user
  authorise(route), // by role; the servers service checks server permissions
  ...when(route.isOwnOriginOnly, () => requireOwnOrigin(context)), // restricts cookies to own pages
  ...when(route.body !== null, () => readBody(context, route)), // size and form
  validate(context.services, route), // content
  ...when(route.status === 201, () => createdLocation(locationOf(route, routes))), // of replayed responses, too
  ...when(isRepeatable(route), () => idempotency(context, route)), // replays stored responses
  ...when(route.rate === 'backup', () => backupQuota(context.limiter, context.services, route)), // per server
  ...when(isCompressible(route), () => compress()), // after all refusals
  dispatch(context, route),
];

/** Serves paths whose first segment no route has. */
function siteMiddleware({ site, services }: GatewayContext, routes: readonly Route[]): RequestMiddleware[] {
  if (!site) return [];
  const reserved = new Set(routes.map(({ path }) => path.split('/')[1] ?? ''));
  const nodes = new NodeOrigins(services.nodes);
  return [serveSite(site, reserved, async () => nodes.read())];
}

function when(isNeeded: boolean, make: () => RequestMiddleware): RequestMiddleware[] {
  return isNeeded ? [make()] : [];
}

/** Throws ROUTES_INCOMPLETE for incomplete declarations. */
export function createApp(context: GatewayContext, routes: readonly Route[]): App {
  assertValidRoutes(routes);
  const app: App = new Koa();
  app.silent = true; // errors after the first byte end the connection and are logged
  for (const middleware of around(context, routes)) app.use(middleware);
  app.use(mountRoutes(routes, (route) => before(context, route, routes)));
  app.use(authenticateAndLimit(context, null)); // counts unknown paths
  app.use(() => {
    throw notFound();
  });
  return app;
}
