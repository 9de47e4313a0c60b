import { assertNever, invalidFields } from '@panel/kit/errors';
import type { OrderHold, OrderRecord } from '../domain/order.js';
import type { FulfilmentDeps } from './dependencies.js';

type HoldDeps = Pick<FulfilmentDeps, 'products' | 'coupons' | 'counters'>;

/**
 * Takes all holds at once. Throws INVALID_FIELDS for the first shortage after all settle; undoing the order releases
 * taken ones.
 */
export async function takeHolds(deps: HoldDeps, order: OrderRecord, at: Date): Promise<void> {
  const results = await Promise.allSettled(order.holds.map(async (hold) => take(deps, hold, at)));
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') throw result.reason;
    const hold = order.holds[index];
    if (hold && !result.value) throw invalidFields(problemOf(hold, order));
  }
}

async function take({ products, coupons, counters }: HoldDeps, hold: OrderHold, at: Date): Promise<boolean> {
  const units = { id: hold.id, quantity: hold.quantity, at };
  switch (hold.kind) {
    case 'stock':
      return products.stock.take(hold.key, units, { active: true, stock: { $gte: hold.quantity } });
    case 'coupon':
      return coupons.take(hold.key, units);
    case 'counter':
      return counters.take(hold.key, units, hold.most);
    default:
      return assertNever(hold.kind);
  }
}

function problemOf({ kind, key }: OrderHold, order: OrderRecord): Record<string, string[]> {
  if (kind === 'coupon') return { coupon: ['is used up'] };
  if (key.startsWith('coupon:')) return { coupon: ['is used up: you have used it as often as one customer may'] };
  const productId = kind === 'stock' ? key : (key.split(':')[1] ?? '');
  const name = order.items.find((item) => item.productId === productId)?.productName ?? productId;
  const message = kind === 'stock' ? 'has not enough left in stock' : 'cannot be bought that often by one customer';
  return { cart: [`${name} ${message}`] };
}

/** Idempotent. */
export async function confirmHolds(deps: HoldDeps, order: OrderRecord): Promise<void> {
  await Promise.all(order.holds.map(async ({ kind, key, id }) => storeOf(deps, kind).confirm(key, id)));
}

/** Idempotent. */
export async function releaseHolds(deps: HoldDeps, order: OrderRecord): Promise<void> {
  await Promise.all(order.holds.map(async ({ kind, key, id }) => storeOf(deps, kind).release(key, id)));
}

/** Once per order. */
export async function returnHolds(deps: HoldDeps, order: OrderRecord): Promise<void> {
  for (const { kind, key, quantity } of order.holds) await storeOf(deps, kind).returnUnits(key, order.id, quantity);
}

function storeOf({ products, coupons, counters }: HoldDeps, kind: OrderHold['kind']) {
  switch (kind) {
    case 'stock':
      return products.stock;
    case 'coupon':
      return coupons.uses;
    case 'counter':
      return counters;
    default:
      return assertNever(kind);
  }
}
