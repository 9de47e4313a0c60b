import type { Coupon } from './coupon.js';
import type { BillingProfile } from './profile.js';
import type { Quote } from './quote.js';
import type { TaxRate } from './tax.js';

/** Priced at one moment. */
export interface PricedOrder {
  readonly quote: Quote;
  readonly coupon: Coupon | null;
  readonly rate: TaxRate;
  readonly currency: string;
  readonly profile: BillingProfile;
}
