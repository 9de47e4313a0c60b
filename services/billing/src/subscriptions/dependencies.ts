import type { InvoicingDeps } from '../invoicing/dependencies.js';
import type { CounterStore } from '../models/counter.js';
import type { ProductStore } from '../models/product.js';

/** The end of a subscription voids invoices and returns its unit. */
export interface SubscriptionDeps extends InvoicingDeps {
  readonly products: Pick<ProductStore, 'stock'>;
  readonly counters: Pick<CounterStore, 'returnUnits'>;
}
