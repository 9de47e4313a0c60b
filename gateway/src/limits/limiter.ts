import { type ServerRateClass, windowMs } from '@panel/kit';
import { rateLimited } from '../reasons.js';
import type { AuthEpochs, Count, Counters } from './counters.js';
import {
  isExceeded,
  type Quota,
  type QuotaRules,
  type QuotaState,
  scaleQuota,
  secondsLeft,
  tightest,
} from './rules.js';

/** What counting a request brought. */
export interface CountedQuotas {
  /** In the order of the quotas. */
  readonly states: readonly QuotaState[];
  readonly epochs: AuthEpochs | null;
}

/** Counts against quotas. The numbers come from the counters; what is too much is decided here. */
export class RateLimiter {
  constructor(
    readonly rules: QuotaRules,
    private readonly counters: Counters,
  ) {}

  /** Count one request against all `quotas` and read the epochs of `userId`, in one step. */
  async count(quotas: readonly Quota[], userId: string | null, cost: Count['cost'] = 1): Promise<CountedQuotas> {
    const answer = await this.counters.count(
      quotas.map(({ key }) => ({ key, cost })),
      userId,
    );
    const states = quotas.map((quota, index) => {
      const { used, resetsAt } = answer.counts[index] ?? { used: 0, resetsAt: Date.now() + windowMs };
      return { limit: scaleQuota(quota, answer.share).limit, used, resetsAt };
    });
    return { states, epochs: answer.epochs };
  }

  /** Where an address stands, without counting. */
  async peek(ip: string): Promise<QuotaState> {
    const { states } = await this.count([this.rules.address(ip)], null, 0);
    return single(states);
  }

  /** Count against a quota of a server. */
  async countServer(rateClass: ServerRateClass, serverId: string): Promise<QuotaState> {
    const { states } = await this.count([this.rules.server(rateClass, serverId)], null);
    return single(states);
  }

  /** The epochs of a user, without counting. */
  async epochsOf(userId: string): Promise<AuthEpochs | null> {
    return (await this.count([], userId)).epochs;
  }
}

function single(states: readonly QuotaState[]): QuotaState {
  const [state] = states;
  if (!state) throw new TypeError('a request was counted nowhere');
  return state;
}

/** The tightest of some states. Throws RATE_LIMIT_EXCEEDED when one is used up. */
export function assertWithinLimit(states: readonly QuotaState[]): QuotaState {
  let shown: QuotaState | null = null;
  for (const state of states) shown = tightest(shown, state);
  if (shown === null) throw new TypeError('a request was counted nowhere');
  if (isExceeded(shown)) throw rateLimited(secondsLeft(shown, Date.now()));
  return shown;
}
