import type { ItemConfig } from './cart.js';
import type { TaxLine, TaxTreatment } from './tax.js';

export interface PricedCartItem {
  readonly id: string;
  readonly productId: string;
  readonly planId: string;
  readonly quantity: number;
  readonly config: ItemConfig;
  readonly productName: string;
  readonly planName: string;
  readonly unitPriceMinor: number;
  readonly setupFeeMinor: number;
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  /** Why it cannot be bought, or empty. */
  readonly problem: string;
}

export interface PricedCart {
  readonly id: string;
  readonly items: readonly PricedCartItem[];
  readonly couponCode: string;
  readonly currency: string;
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly taxMinor: number;
  readonly taxInclusive: boolean;
  readonly taxTreatment: TaxTreatment;
  readonly taxLines: readonly TaxLine[];
  readonly totalMinor: number;
}
