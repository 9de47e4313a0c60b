import { derivedId } from '@panel/rpc';

/** Derived ids: work on an order is repeatable. */
export const orderIds = {
  debit: (orderId: string) => derivedId(orderId, 'debit'),
  invoice: (orderId: string) => derivedId(orderId, 'invoice'),
  subscription: subscriptionId,
  /** Of all units of an item. */
  subscriptions: (orderId: string, item: number, quantity: number) =>
    Array.from({ length: quantity }, (_, unit) => subscriptionId(orderId, item, unit)),
};

function subscriptionId(orderId: string, item: number, unit: number): string {
  return derivedId(orderId, `service ${item} ${unit}`);
}
