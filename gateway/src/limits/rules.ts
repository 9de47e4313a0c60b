import { rateKeyOfIp } from '@panel/kit/net';
import type { HeaderList } from '../http/headers.js';

export const windowMs = 60_000;

/** Per server, over all users; counted once access to the server is verified. */
export type ServerRateClass = 'upload' | 'backup';

/** Beside `general`. The servers service counts `console`. */
export type RateClass = 'general' | 'auth' | 'sign_in' | 'console' | ServerRateClass;

/** Per minute. */
export type RateLimits = Readonly<Record<'general' | 'auth' | ServerRateClass, number>>;

export interface Quota {
  /** `details.limit` of a refusal. */
  readonly name: RateClass;
  /** Without prefix. */
  readonly key: string;
  readonly limit: number;
}

export class QuotaRules {
  constructor(private readonly limits: RateLimits) {}

  /** /auth except logout. */
  auth(ip: string): Quota {
    return { name: 'auth', key: `auth:ip:${rateKeyOfIp(ip)}`, limit: this.limits.auth };
  }

  /** Pages without a valid cookie. Own counter: reloads must not prevent the sign-in that follows. */
  signInByIp(ip: string): Quota {
    return { name: 'sign_in', key: `refresh:ip:${rateKeyOfIp(ip)}`, limit: this.limits.auth };
  }

  /** Each page reload refreshes, also behind a shared address. */
  signIn(sessionId: string): Quota {
    return { name: 'sign_in', key: `refresh:session:${sessionId}`, limit: this.limits.general };
  }

  /** Unauthenticated callers. */
  address(ip: string): Quota {
    return { name: 'general', key: `general:ip:${rateKeyOfIp(ip)}`, limit: this.limits.general };
  }

  /** Before the role's multiplier. */
  user(userId: string): Quota {
    return { name: 'general', key: `general:user:${userId}`, limit: this.limits.general };
  }

  server(rateClass: ServerRateClass, serverId: string): Quota {
    return { name: rateClass, key: `${rateClass}:server:${serverId}`, limit: this.limits[rateClass] };
  }
}

/** At least one request a minute. */
export function scaleQuota(quota: Quota, multiplier: number): Quota {
  return { ...quota, limit: Math.max(1, Math.floor(quota.limit * multiplier)) };
}

export interface QuotaState {
  readonly limit: number;
  /** Includes this request; may exceed the limit. */
  readonly used: number;
  /** Unix milliseconds of the window's end. */
  readonly resetsAt: number;
}

/** By the gateway. */
export interface CountedQuota extends QuotaState {
  readonly name: RateClass;
}

/** Fewest remaining requests. */
export function tightest<State extends QuotaState>(a: State | null, b: State): State {
  if (a === null) return b;
  return remaining(b) < remaining(a) ? b : a;
}

export function remaining(state: QuotaState): number {
  return Math.max(0, state.limit - state.used);
}

export function isExceeded(state: QuotaState): boolean {
  return state.used > state.limit;
}

export function rateHeadersOf(state: QuotaState): HeaderList {
  return [
    ['X-RateLimit-Limit', `${state.limit}`],
    ['X-RateLimit-Remaining', `${remaining(state)}`],
    ['X-RateLimit-Reset', `${Math.ceil(state.resetsAt / 1000)}`],
  ];
}
