import { readConsoleCookie } from '../browser/console-cookie.js';
import type { Caller } from '../auth/identity.js';
import type { Authenticator, Credential, CredentialReader } from '../auth/authenticator.js';
import { type RequestContext, type RequestMiddleware, showQuota, timeLeftMs } from './request-state.js';
import { assertWithinLimit, type RateLimiter } from '../limits/limiter.js';
import { type CountedQuota, type Quota, scaleQuota } from '../limits/rules.js';
import { grants } from '@panel/rpc';
import type { Server } from '@panel/protos/servers';
import { getAccessibleServer } from '../auth/server-access.js';
import { fail, notFound, unauthenticated } from '../reasons.js';
import { isNameParameter, type Route } from '../declaration/route.js';
import type { Services } from '../services.js';

interface AuthenticationDependencies {
  readonly credentials: CredentialReader;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
}

/**
 * Rate limit by address, authentication, rate limit by user; one round trip counts and reads epochs. Without a route
 * (unknown path) it counts, and refuses no credential.
 */
export function authenticateAndLimit(dependencies: AuthenticationDependencies, route: Route | null): RequestMiddleware {
  return async (ctx, next) => {
    if (route?.access.kind === 'public') await limitPublicRequest(dependencies, ctx, route);
    else if (route) await limitAndAuthenticate(dependencies, ctx, credentialFor(dependencies, ctx, route));
    else await limitUnknownPath(dependencies, ctx);
    return next();
  };
}

function credentialFor(dependencies: AuthenticationDependencies, ctx: RequestContext, route: Route | null): Credential {
  const { authorization, 'sec-websocket-protocol': protocols } = ctx.req.headers;
  return dependencies.credentials.fromRequest(authorization, route?.response.kind === 'socket' ? protocols : undefined);
}

async function limitPublicRequest(
  dependencies: AuthenticationDependencies,
  ctx: RequestContext,
  route: Route,
): Promise<void> {
  const { states } = await dependencies.limiter.count([publicQuota(dependencies, route, ctx)], null);
  showQuotas(ctx, states);
  assertWithinLimit(states);
  ctx.state.caller = null;
}

function publicQuota(
  { limiter: { rules }, credentials }: AuthenticationDependencies,
  { rate }: Route,
  { state: { ip }, req }: RequestContext,
): Quota {
  if (rate === 'auth') return rules.auth(ip);
  // Sibling subdomains send the cookie too: they must not use the sign-in limit.
  if (rate !== 'sign_in' || req.headers['sec-fetch-site'] !== 'same-origin') return rules.address(ip);
  const sessionId = credentials.sessionOfRefreshToken(readConsoleCookie(req.headers));
  return sessionId === null ? rules.signInByIp(ip) : rules.signIn(sessionId);
}

async function limitAndAuthenticate(
  dependencies: AuthenticationDependencies,
  ctx: RequestContext,
  credential: Credential,
): Promise<void> {
  const { limiter, authenticator } = dependencies;
  const userId = authenticator.claimedUserId(credential, ctx.state.ip);
  // As their address: bounds guessing of tokens and keys.
  const quota = userId === null ? limiter.rules.address(ctx.state.ip) : limiter.rules.user(userId);
  const { states, epochs } = await limiter.count([quota], userId);
  showQuotas(ctx, states);
  if (userId === null) assertWithinLimit(states);
  const caller = await authenticator.authenticate(credential, ctx.state.ip, epochs);
  ctx.state.caller = caller;
  if (userId === null) await countUser(limiter, ctx, caller);
  else applyRole(ctx, quota, states, caller);
}

/** First use of a key here: its owner is resolved only now. */
async function countUser(limiter: RateLimiter, ctx: RequestContext, caller: Caller): Promise<void> {
  const quota = scaleQuota(limiter.rules.user(caller.identity.userId), caller.identity.rateLimitMultiplier);
  const { states } = await limiter.count([quota], null);
  ctx.state.rate = undefined;
  showQuotas(ctx, states);
  assertWithinLimit(states);
}

function applyRole(ctx: RequestContext, quota: Quota, states: readonly CountedQuota[], caller: Caller): void {
  const { rateLimitMultiplier } = caller.identity;
  const scaledStates = states.map((state) => ({
    ...state,
    limit: scaleQuota({ ...quota, limit: state.limit }, rateLimitMultiplier).limit,
  }));
  ctx.state.rate = undefined;
  showQuotas(ctx, scaledStates);
  assertWithinLimit(scaledStates);
}

/** Counts the sender; the 404 follows. */
async function limitUnknownPath(dependencies: AuthenticationDependencies, ctx: RequestContext): Promise<void> {
  const credential = credentialFor(dependencies, ctx, null);
  const userId = dependencies.authenticator.claimedUserId(credential, ctx.state.ip);
  if (userId !== null) {
    try {
      await limitAndAuthenticate(dependencies, ctx, credential);
      return;
    } catch (error) {
      if (ctx.state.caller) throw error;
    }
  }
  const { states } = await dependencies.limiter.count([dependencies.limiter.rules.address(ctx.state.ip)], null);
  ctx.state.rate = undefined;
  showQuotas(ctx, states);
  assertWithinLimit(states);
}

function showQuotas(ctx: RequestContext, states: readonly CountedQuota[]): void {
  for (const state of states) showQuota(ctx.state, state);
}

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
    const params = Object.entries(ctx.state.params ?? {});
    if (params.some(([name, value]) => !isNameParameter(name) && !uuid.test(value))) throw notFound();
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
