import { derivedId } from '@panel/rpc';

/** Ids that follow from an order's, so that work on it can be repeated. */
export const orderIds = {
  debit: (orderId: string) => derivedId(orderId, 'debit'),
  invoice: (orderId: string) => derivedId(orderId, 'invoice'),
  subscription: (orderId: string, item: number, unit: number) => derivedId(orderId, `service ${item} ${unit}`),
};
