import type { Coupon } from './coupon.js';
import type { BillingProfile } from './profile.js';
import type { Quote } from './quote.js';
import type { AppliedTax } from './tax.js';

/** Priced at one moment. */
export interface PricedOrder {
  readonly quote: Quote;
  readonly coupon: Coupon | null;
  readonly tax: AppliedTax;
  readonly currency: string;
  readonly profile: BillingProfile;
}
