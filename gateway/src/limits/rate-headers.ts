import type { HeaderList } from '../http/headers.js';
import { type QuotaState, remaining } from './rules.js';

export function rateHeadersOf(state: QuotaState): HeaderList {
  return [
    ['X-RateLimit-Limit', `${state.limit}`],
    ['X-RateLimit-Remaining', `${remaining(state)}`],
    ['X-RateLimit-Reset', `${Math.ceil(state.resetsAt / 1000)}`],
  ];
}
