/** All else comes from the product. */
export interface ItemConfig {
  /** Empty: the product's name. */
  readonly serverName: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface CartItem {
  readonly id: string;
  readonly productId: string;
  readonly planId: string;
  readonly quantity: number;
  readonly config: ItemConfig;
}

/** `id` is the customer's. Prices come from the catalogue. */
export interface Cart {
  readonly id: string;
  /** Counts changes: a checkout buys one state of the cart. */
  readonly version: number;
  readonly items: readonly CartItem[];
  readonly couponCode: string;
}

export const maxCartItems = 20;
export const maxQuantity = 20;

export function isQuantity(quantity: number): boolean {
  return Number.isInteger(quantity) && quantity >= 1 && quantity <= maxQuantity;
}
