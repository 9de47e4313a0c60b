import { rateLimited } from '@panel/kit/errors';
import type { AuthEpochs } from './auth-epochs.js';
import type { Count, Counters } from './counters.js';
import {
  type CountedQuota,
  isExceeded,
  type Quota,
  type QuotaRules,
  scaleQuota,
  type ServerRateClass,
  tightest,
  windowMs,
} from './rules.js';

interface CountedQuotas {
  /** In quota order. */
  readonly states: readonly CountedQuota[];
  readonly epochs: AuthEpochs | null;
}

export class RateLimiter {
  constructor(
    readonly rules: QuotaRules,
    private readonly counters: Counters,
  ) {}

  /** In one round trip. */
  async count(quotas: readonly Quota[], userId: string | null, cost: Count['cost'] = 1): Promise<CountedQuotas> {
    const { counts, share, epochs } = await this.counters.count(
      quotas.map(({ key }) => ({ key, cost })),
      userId,
    );
    const states = quotas.map((quota, index) => {
      const { used, resetsAt } = counts[index] ?? { used: 0, resetsAt: Date.now() + windowMs };
      return { name: quota.name, limit: scaleQuota(quota, share).limit, used, resetsAt };
    });
    return { states, epochs };
  }

  /** Of an address, without counting. */
  async peek(ip: string): Promise<CountedQuota> {
    const { states } = await this.count([this.rules.address(ip)], null, 0);
    return single(states);
  }

  async countServer(rateClass: ServerRateClass, serverId: string): Promise<CountedQuota> {
    const { states } = await this.count([this.rules.server(rateClass, serverId)], null);
    return single(states);
  }

  /** Without counting. */
  async epochsOf(userId: string): Promise<AuthEpochs | null> {
    return (await this.count([], userId)).epochs;
  }
}

function single(states: readonly CountedQuota[]): CountedQuota {
  const [state] = states;
  if (!state) throw new TypeError('the request was counted against no quota');
  return state;
}

/** Throws RATE_LIMIT_EXCEEDED when exhausted. */
export function assertWithinLimit(states: readonly CountedQuota[]): CountedQuota {
  let tightestState: CountedQuota | null = null;
  for (const state of states) tightestState = tightest(tightestState, state);
  if (tightestState === null) throw new TypeError('the request was counted against no quota');
  if (!isExceeded(tightestState)) return tightestState;
  const { name, limit, resetsAt } = tightestState;
  throw rateLimited('too many requests', { name, max: limit, remainingMs: resetsAt - Date.now() });
}
