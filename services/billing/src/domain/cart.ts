/** What a customer chooses about a server. Everything else comes from the product. */
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

/** What a customer is about to buy; `id` is the customer's. Prices are not retained: they are the catalogue's. */
export interface Cart {
  readonly id: string;
  /** Counts changes, so that one checkout buys one state of the cart. */
  readonly version: number;
  readonly items: readonly CartItem[];
  readonly couponCode: string;
}

export const maxCartItems = 20;
export const maxQuantity = 20;

export function isQuantity(quantity: number): boolean {
  return Number.isInteger(quantity) && quantity >= 1 && quantity <= maxQuantity;
}
