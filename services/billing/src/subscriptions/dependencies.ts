import type { InvoicingDeps } from '../invoicing/dependencies.js';
import type { CounterStore } from '../models/counter.js';
import type { ProductStore } from '../models/product.js';

/** What the life of a subscription works with: its end voids invoices and gives its unit back. */
export interface SubscriptionDeps extends InvoicingDeps {
  readonly products: Pick<ProductStore, 'stock'>;
  readonly counters: Pick<CounterStore, 'returnUnits'>;
}
