import type { OrderRecord } from '../domain/order.js';
import type { FulfilmentDeps } from './dependencies.js';
import { cancelEntry } from '../ledger/cancel-entry.js';
import { orderIds } from '../domain/order-ids.js';
import { releaseHolds } from './take-holds.js';
import { accounts } from '../domain/journal.js';

type UndoDeps = Pick<FulfilmentDeps, 'orders' | 'products' | 'coupons' | 'counters' | 'credits' | 'clock'>;

/** Writing `failed` decides, then everything taken is returned. No effect on a decided order. Idempotent. */
export async function undoOrder(deps: UndoDeps, order: OrderRecord): Promise<void> {
  const at = deps.clock();
  const failed = (await deps.orders.decide(order.id, 'failed', at)) ?? (await deps.orders.get(order.id));
  if (failed?.status !== 'failed') return;
  await releaseHolds(deps, failed);
  if (failed.paymentMethod === 'credits' && failed.totalMinor > 0) {
    await cancelEntry(deps.credits, debitOf(failed, at), at);
  }
  await deps.orders.completeWork(failed.id, ['failed']);
}

export function debitOf(order: OrderRecord, at: Date) {
  return {
    id: orderIds.debit(order.id),
    userId: order.userId,
    currency: order.currency,
    amountMinor: -order.totalMinor,
    reason: 'payment' as const,
    note: '',
    reference: order.id,
    against: accounts.receivable(orderIds.invoice(order.id)),
    createdAt: at,
  };
}
