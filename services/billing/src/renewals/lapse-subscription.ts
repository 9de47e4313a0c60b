import type { RecurringSubscription } from '../domain/renewal.js';
import { suspendSubscription } from '../subscriptions/suspend-subscription.js';
import type { RenewalDeps } from './dependencies.js';

/** Of a deleted customer: no invoice, suspended at the end of the paid period. Its server stays until staff end it. */
export async function lapseSubscription(
  deps: RenewalDeps,
  { subscription, renewAt, nextDueAt }: RecurringSubscription,
): Promise<void> {
  const isOver = nextDueAt <= deps.clock();
  if (isOver && subscription.status === 'active') await suspendSubscription(deps, subscription, 'no_user');
  await deps.subscriptions.changeIf(subscription.id, { renewAt }, { set: { renewAt: isOver ? null : nextDueAt } });
}
