import { serverCounterName, type ServerRateClass } from '@panel/kit';
import { rateKeyOfIp } from '../http/client-ip.js';

/** What a request counts in beside `general`. */
export type RateClass = 'general' | 'auth' | ServerRateClass;

/** Requests per minute. */
export type RateLimits = Readonly<Record<RateClass, number>>;

/** Something that is counted: the key without prefix, and the limit that holds for it. */
export interface Quota {
  readonly key: string;
  readonly limit: number;
}

/** Whether it is counted per server, after it is known that the caller may use that server. */
export function isServerClass(rateClass: RateClass): rateClass is ServerRateClass {
  return rateClass !== 'general' && rateClass !== 'auth';
}

/** The quotas of an installation, before any division among gateways. */
export class QuotaRules {
  constructor(private readonly limits: RateLimits) {}

  /** All of /auth but logout. */
  auth(ip: string): Quota {
    return { key: `auth:ip:${rateKeyOfIp(ip)}`, limit: this.limits.auth };
  }

  /** Everybody who has not proved who they are. */
  address(ip: string): Quota {
    return { key: `general:ip:${rateKeyOfIp(ip)}`, limit: this.limits.general };
  }

  /** Key and base limit of a user; the role's multiplier is applied when the role is known. */
  user(userId: string): Quota {
    return { key: `general:user:${userId}`, limit: this.limits.general };
  }

  server(rateClass: ServerRateClass, serverId: string): Quota {
    return { key: serverCounterName(rateClass, serverId), limit: this.limits[rateClass] };
  }
}

/** A quota of a role with this multiplier; at least one request a minute. */
export function scaleQuota(quota: Quota, multiplier: number): Quota {
  return { key: quota.key, limit: Math.max(1, Math.floor(quota.limit * multiplier)) };
}

/** Where a quota stands after a request. */
export interface QuotaState {
  readonly limit: number;
  /** This request included; may be above the limit. */
  readonly used: number;
  /** Unix time in milliseconds at which the window starts again. */
  readonly resetsAt: number;
}

/** The state to show: the one that is closest to its limit. */
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

/** Seconds to wait, at least 1. */
export function secondsLeft(state: QuotaState, now: number): number {
  return Math.max(1, Math.ceil((state.resetsAt - now) / 1000));
}
