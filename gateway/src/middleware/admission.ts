import type { Caller } from '../auth/identity.js';
import type { Authenticator } from '../auth/authenticator.js';
import type { Credential, CredentialReader } from '../auth/credential.js';
import type { RequestContext, RequestMiddleware } from '../http/state.js';
import { mustBeWithin, type RateLimiter } from '../limits/limiter.js';
import { type Quota, type QuotaState, scaled, tightest } from '../limits/rules.js';
import type { Route } from '../routes/route.js';
import { bearerProtocolToken } from '../ws/bearer-protocol.js';

export interface AdmissionParts {
  readonly credentials: CredentialReader;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
}

/**
 * Rate limit by address, authentication, rate limit by user: in this order of effect, but with one round trip, which
 * counts everything that is known to be counted and reads the user's epochs. Without a route (unknown paths) the caller is
 * counted as who they are, and nobody is turned away.
 */
export function admission(parts: AdmissionParts, route: Route | null): RequestMiddleware {
  return async (ctx, next) => {
    if (route?.access.kind === 'public') await admitAnybody(parts, ctx, route);
    else if (route) await admitKnown(parts, ctx, credentialFor(parts, ctx, route));
    else await admitStray(parts, ctx);
    return next();
  };
}

/** What the request shows; `protocols` only where browsers may offer a token as a WebSocket sub-protocol. */
export function credentialOf(
  credentials: CredentialReader,
  authorization: string | undefined,
  protocols: string | undefined,
): Credential {
  const token = authorization === undefined && protocols !== undefined ? bearerProtocolToken(protocols) : null;
  return token === null ? credentials.fromHeader(authorization) : credentials.fromToken(token);
}

function credentialFor(parts: AdmissionParts, ctx: RequestContext, route: Route | null): Credential {
  const { authorization, 'sec-websocket-protocol': protocols } = ctx.req.headers;
  return credentialOf(parts.credentials, authorization, route?.answer.kind === 'socket' ? protocols : undefined);
}

async function admitAnybody({ limiter }: AdmissionParts, ctx: RequestContext, route: Route): Promise<void> {
  const { ip } = ctx.state;
  const quota = route.rate === 'auth' ? limiter.rules.auth(ip) : limiter.rules.address(ip);
  const { states } = await limiter.count([quota], null);
  showRate(ctx, states);
  mustBeWithin(states);
  ctx.state.caller = null;
}

async function admitKnown(parts: AdmissionParts, ctx: RequestContext, credential: Credential): Promise<void> {
  const { limiter, authenticator } = parts;
  const userId = authenticator.supposedUser(credential, ctx.state.ip);
  // Whoever cannot be counted as a user yet counts as an address: that bounds guessing at tokens and keys.
  const quota = userId === null ? limiter.rules.address(ctx.state.ip) : limiter.rules.user(userId);
  const { states, epochs } = await limiter.count([quota], userId);
  showRate(ctx, states);
  if (userId === null) mustBeWithin(states);
  const caller = await authenticator.authenticate(credential, ctx.state.ip, epochs);
  ctx.state.caller = caller;
  if (userId === null) await countUser(limiter, ctx, caller);
  else applyRole(ctx, quota, states, caller);
}

/** A key this gateway sees for the first time: only now it is known whose it is. */
async function countUser(limiter: RateLimiter, ctx: RequestContext, caller: Caller): Promise<void> {
  const quota = scaled(limiter.rules.user(caller.identity.userId), caller.identity.rateLimitMultiplier);
  const { states } = await limiter.count([quota], null);
  ctx.state.rate = undefined;
  showRate(ctx, states);
  mustBeWithin(states);
}

/** The count stands; now that the role is known, so does the limit. */
function applyRole(ctx: RequestContext, quota: Quota, states: readonly QuotaState[], caller: Caller): void {
  const { rateLimitMultiplier } = caller.identity;
  const scaledStates = states.map((state) => ({
    ...state,
    limit: scaled({ key: quota.key, limit: state.limit }, rateLimitMultiplier).limit,
  }));
  ctx.state.rate = undefined;
  showRate(ctx, scaledStates);
  mustBeWithin(scaledStates);
}

/** An unknown path: count it for whoever sent it, then let the 404 come. */
async function admitStray(parts: AdmissionParts, ctx: RequestContext): Promise<void> {
  const credential = credentialFor(parts, ctx, null);
  const userId = parts.authenticator.supposedUser(credential, ctx.state.ip);
  if (userId !== null) {
    try {
      await admitKnown(parts, ctx, credential);
      return;
    } catch (error) {
      if (ctx.state.caller) throw error;
    }
  }
  const { states } = await parts.limiter.count([parts.limiter.rules.address(ctx.state.ip)], null);
  ctx.state.rate = undefined;
  showRate(ctx, states);
  mustBeWithin(states);
}

function showRate(ctx: RequestContext, states: readonly QuotaState[]): void {
  for (const state of states) ctx.state.rate = tightest(ctx.state.rate ?? null, state);
}
