import type { ServiceBase } from '@panel/rpc';
import { createProductStore, type ProductStore } from './models/product.js';

/** What the handlers hold. */
export interface BillingContext {
  readonly products: ProductStore;
}

export function createContext(base: Pick<ServiceBase, 'mongo'>): BillingContext {
  return { products: createProductStore(base.mongo) };
}
