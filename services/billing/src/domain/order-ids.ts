import { derivedId } from '@panel/rpc';

/** Derived ids: work on an order is repeatable. */
export const orderIds = {
  debit: (orderId: string) => derivedId(orderId, 'debit'),
  invoice: (orderId: string) => derivedId(orderId, 'invoice'),
  subscription: (orderId: string, item: number, unit: number) => derivedId(orderId, `service ${item} ${unit}`),
};
