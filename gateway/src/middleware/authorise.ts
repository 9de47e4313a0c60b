import { grants } from '@panel/rpc';
import type { Server } from '@panel/protos/servers';
import { getAccessibleServer } from '../auth/server-access.js';
import { type RequestContext, type RequestMiddleware, timeLeftMs } from './request-state.js';
import { fail, notFound, unauthenticated } from '../reasons.js';
import type { Route } from '../declaration/route.js';
import type { Services } from '../services.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Role check before any lookup: unauthorised callers cannot probe ids or bodies. The actual call checks server
 * permissions; `requireServerAccess` checks earlier where another response would come first.
 */
export function authorise(route: Route): RequestMiddleware {
  return (ctx, next) => {
    const { access } = route;
    if (access.kind !== 'public' && !ctx.state.caller) throw unauthenticated();
    if (ctx.state.caller?.identity.mustSetUpTwoFactor && access.kind !== 'public' && !route.allowedBefore2fa) {
      throw fail('TWO_FACTOR_REQUIRED', 'set up two-factor authentication first: POST /api/v1/account/2fa');
    }
    const held = ctx.state.caller?.identity.permissions ?? [];
    if (access.kind === 'admin' && ![access.permission, ...(access.also ?? [])].every((each) => grants(held, each))) {
      throw fail('PERMISSION_MISSING', 'the role does not allow this');
    }
    const keyPermissions = ctx.state.caller?.identity.keyPermissions;
    if (access.kind === 'account' && access.permission !== null && keyPermissions) {
      if (!grants(keyPermissions, access.permission))
        throw fail('PERMISSION_MISSING', 'the API key does not allow this');
    }
    // A malformed id is unknown.
    if (Object.values(ctx.state.params ?? {}).some((id) => !uuid.test(id))) throw notFound();
    return next();
  };
}

/**
 * Throws NOT_FOUND, PERMISSION_MISSING. Only where something precedes the service's check (reserved route, invalid
 * body, server counter, socket), as it costs a call.
 */
export async function requireServerAccess(services: Services, ctx: RequestContext, route: Route): Promise<Server> {
  const { caller, params, requestId, trace } = ctx.state;
  const serverId = params?.['id'];
  if (route.access.kind !== 'server' || serverId === undefined) throw notFound();
  const rpc = { actorToken: caller?.actorToken, requestId, trace, timeoutMs: timeLeftMs(ctx.state) };
  return getAccessibleServer(services, serverId, route.access.permissions, rpc);
}
