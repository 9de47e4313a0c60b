import { count, id, listOf, part, type RecordOf, text, textMap } from '@panel/kit/records';

/** All else comes from the product. */
export const itemConfigFields = {
  /** Empty: the product's name. */
  serverName: text,
  environment: textMap,
};
export type ItemConfig = RecordOf<typeof itemConfigFields>;

const cartItemFields = {
  id,
  productId: id,
  planId: id,
  quantity: count,
  config: part(itemConfigFields),
};
export type CartItem = RecordOf<typeof cartItemFields>;

/** `id` is the customer's. Prices come from the catalogue. */
export const cartFields = {
  id,
  /** Counts changes: a checkout buys one state of the cart. */
  version: count,
  items: listOf(part(cartItemFields)),
  couponCode: text,
};
export type Cart = RecordOf<typeof cartFields>;

export const maxCartItems = 20;
export const maxQuantity = 20;

export function isQuantity(quantity: number): boolean {
  return Number.isInteger(quantity) && quantity >= 1 && quantity <= maxQuantity;
}
