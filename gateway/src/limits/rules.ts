import { rateKeyOfIp } from '@panel/kit/net';

/** Length of the fixed windows in which requests are counted. */
export const windowMs = 60_000;

/** Classes that are counted per server, over all its users. */
export type ServerRateClass = 'console' | 'upload' | 'backup';

/** The class a request is counted in, beside `general`. */
export type RateClass = 'general' | 'auth' | 'refresh' | 'sign_in' | ServerRateClass;

/** Requests per minute. */
export type RateLimits = Readonly<Record<Exclude<RateClass, 'refresh' | 'sign_in'>, number>>;

/** A counter key without prefix, and its limit. */
export interface Quota {
  readonly key: string;
  readonly limit: number;
}

/** Whether the class is counted per server, after access to the server has been verified. */
export function isServerClass(rateClass: RateClass): rateClass is ServerRateClass {
  return rateClass === 'console' || rateClass === 'upload' || rateClass === 'backup';
}

/** The quotas of an installation. */
export class QuotaRules {
  constructor(private readonly limits: RateLimits) {}

  /** All of /auth except logout and refresh. */
  auth(ip: string): Quota {
    return { key: `auth:ip:${rateKeyOfIp(ip)}`, limit: this.limits.auth };
  }

  /** Refreshes, with the limit of /auth and a counter of their own: failed sign-ins must not end other users' sessions. */
  refresh(ip: string): Quota {
    return { key: `refresh:ip:${rateKeyOfIp(ip)}`, limit: this.limits.auth };
  }

  /** Refreshes of one browser: each reload of a page takes one, also when others share its address. */
  signIn(sessionId: string): Quota {
    return { key: `refresh:session:${sessionId}`, limit: this.limits.general };
  }

  /** Unauthenticated callers. */
  address(ip: string): Quota {
    return { key: `general:ip:${rateKeyOfIp(ip)}`, limit: this.limits.general };
  }

  /** Key and base limit of a user; the multiplier of the role is applied once the role is known. */
  user(userId: string): Quota {
    return { key: `general:user:${userId}`, limit: this.limits.general };
  }

  server(rateClass: ServerRateClass, serverId: string): Quota {
    return { key: `${rateClass}:server:${serverId}`, limit: this.limits[rateClass] };
  }
}

/** Multiply the limit of a quota; it stays at least one request a minute. */
export function scaleQuota(quota: Quota, multiplier: number): Quota {
  return { key: quota.key, limit: Math.max(1, Math.floor(quota.limit * multiplier)) };
}

/** State of a quota after a request. */
export interface QuotaState {
  readonly limit: number;
  /** This request included; may exceed the limit. */
  readonly used: number;
  /** Unix time in milliseconds at which the window restarts. */
  readonly resetsAt: number;
}

/** The state with the fewest remaining requests. */
export function tightest(a: QuotaState | null, b: QuotaState): QuotaState {
  if (a === null) return b;
  return remaining(b) < remaining(a) ? b : a;
}

export function remaining(state: QuotaState): number {
  return Math.max(0, state.limit - state.used);
}

export function isExceeded(state: QuotaState): boolean {
  return state.used > state.limit;
}

/** At least 1. */
export function secondsUntilReset(state: QuotaState, nowMs: number): number {
  return Math.max(1, Math.ceil((state.resetsAt - nowMs) / 1000));
}
