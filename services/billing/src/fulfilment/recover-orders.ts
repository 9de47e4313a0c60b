import type { OrderRecord } from '../domain/order.js';
import type { FulfilmentDeps } from './dependencies.js';
import type { Holds } from '../models/holds.js';
import { fulfilOrder } from './fulfil-order.js';
import { undoOrder } from './undo-order.js';
import { returnHolds } from './take-holds.js';

const batch = 50;
/** Other work goes first. */
const retryMs = 30_000;
/** For live requests. */
const graceMs = 5_000;
/** Longer than any checkout: older holds have no owner. */
const staleHoldMs = 10 * 60_000;

/** After a crash: undoes undecided checkouts, completes decided ones. */
export async function recoverOrders(deps: FulfilmentDeps, signal: AbortSignal): Promise<void> {
  const { orders, clock, attempt } = deps;
  for (const order of await orders.expiredPlacing(clock(), batch)) {
    if (signal.aborted) return;
    await attempt('recover-orders', order.id, async () => undoOrder(deps, order));
  }
  const before = new Date(clock().getTime() - graceMs);
  for (const order of await orders.dueWork(before, batch)) {
    if (signal.aborted) return;
    await orders.postponeWork(order.id, new Date(clock().getTime() + retryMs));
    await attempt('recover-orders', order.id, async () => finishOrder(deps, order));
  }
}

async function finishOrder(deps: FulfilmentDeps, order: OrderRecord): Promise<void> {
  if (order.status === 'failed') await undoOrder(deps, order);
  else if (order.status === 'cancelled') {
    await returnHolds(deps, order);
    await deps.orders.completeWork(order.id, ['cancelled']);
  } else await fulfilOrder(deps, order);
}

/** For a checkout that took holds after its undoing and died, or a change of plan that took them and died. */
export async function sweepHolds(deps: FulfilmentDeps): Promise<void> {
  const { products, coupons, counters, clock, attempt } = deps;
  const before = new Date(clock().getTime() - staleHoldMs);
  for (const store of [products.stock, coupons.uses, counters]) {
    for (const { documentId, holdId } of await store.stale(before, batch)) {
      await attempt('sweep-holds', holdId, async () => resolveHold(deps, store, { documentId, holdId }));
    }
  }
}

async function resolveHold(
  { orders, subscriptions }: FulfilmentDeps,
  store: Pick<Holds, 'release' | 'confirm'>,
  { documentId, holdId }: { readonly documentId: string; readonly holdId: string },
): Promise<void> {
  const order = await orders.get(holdId);
  if (order?.status === 'placing') return;
  const isKept = order ? order.status !== 'failed' : await subscriptions.isUnitKnown(holdId);
  if (isKept) await store.confirm(documentId, holdId);
  else await store.release(documentId, holdId);
}
