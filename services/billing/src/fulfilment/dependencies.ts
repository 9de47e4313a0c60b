import type { InvoicingDeps } from '../invoicing/dependencies.js';
import type { CartStore } from '../models/cart.js';
import type { CounterStore } from '../models/counter.js';
import type { CouponStore } from '../models/coupon.js';
import type { OrderStore } from '../models/order.js';
import type { ProductStore } from '../models/product.js';

export interface FulfilmentDeps extends InvoicingDeps {
  readonly orders: OrderStore;
  readonly carts: Pick<CartStore, 'removeBought'>;
  readonly products: Pick<ProductStore, 'stock'>;
  readonly coupons: Pick<CouponStore, 'take' | 'uses'>;
  readonly counters: CounterStore;
}
