import type { InvoicingDeps } from '../invoicing/dependencies.js';
import type { CounterStore } from '../models/counter.js';
import type { ProductStore } from '../models/product.js';

/** Ending voids invoices and returns the unit. */
export interface SubscriptionDeps extends InvoicingDeps {
  readonly products: Pick<ProductStore, 'stock'>;
  readonly counters: CounterStore;
}
