import type { PricedCart, PricedCartItem } from '../../domain/priced-cart.js';
import { planOf } from '../../domain/product.js';
import type { BillingContext } from '../../context.js';
import type { Cart } from '../../domain/cart.js';
import { couponProblem } from '../../domain/coupon-rules.js';
import { quote, type WantedItem } from '../../domain/quote.js';
import { taxFor, taxLines } from '../../domain/tax.js';

/** Unavailable items have a problem and cost nothing. */
export async function priceCart(context: BillingContext, cart: Cart): Promise<PricedCart> {
  const { products, coupons, profiles, clock } = context;
  const settings = await context.settings.read();
  const found = new Map((await products.getMany(cart.items.map((it) => it.productId))).map((it) => [it.id, it]));
  const wanted = new Map<string, WantedItem>();
  const problems = new Map<string, string>();
  let currency = '';
  for (const item of cart.items) {
    const product = found.get(item.productId);
    const plan = product && planOf(product, item.planId);
    if (!product?.active) problems.set(item.id, 'is not for sale any more');
    else if (!plan) problems.set(item.id, 'this plan does not exist any more');
    else if (currency !== '' && plan.currency !== currency) problems.set(item.id, 'has another currency');
    else {
      currency = plan.currency;
      wanted.set(item.id, { product, plan, quantity: item.quantity, config: item.config });
      if (product.stock !== null && product.stock < item.quantity) problems.set(item.id, 'is not in stock any more');
    }
  }
  const coupon = cart.couponCode === '' ? null : await coupons.findByCode(cart.couponCode);
  const productIds = [...wanted.values()].map(({ product }) => product.id);
  const isUsable = coupon !== null && couponProblem(coupon, { productIds, currency, at: clock() }) === null;
  const tax = taxFor(await profiles.get(cart.id), settings, clock());
  const priced = quote([...wanted.values()], isUsable ? coupon : null, tax);
  const quoted = new Map([...wanted.keys()].map((id, index) => [id, priced.items[index]]));
  return {
    id: cart.id,
    couponCode: isUsable ? coupon.code : '',
    currency: currency || settings.currency,
    subtotalMinor: priced.subtotalMinor,
    discountMinor: priced.discountMinor,
    taxMinor: priced.taxMinor,
    taxInclusive: tax.isInclusive,
    taxTreatment: tax.treatment,
    taxLines: taxLines(priced.items, tax.basisPoints),
    totalMinor: priced.totalMinor,
    items: cart.items.map(({ id, productId, planId, quantity, config }): PricedCartItem => {
      const line = quoted.get(id);
      return {
        id,
        productId,
        planId: line?.plan.id ?? planId,
        quantity,
        config,
        productName: found.get(productId)?.name ?? '',
        planName: line?.plan.name ?? '',
        unitPriceMinor: line?.plan.priceMinor ?? 0,
        setupFeeMinor: line?.plan.setupFeeMinor ?? 0,
        subtotalMinor: line?.subtotalMinor ?? 0,
        discountMinor: line?.discountMinor ?? 0,
        problem: problems.get(id) ?? '',
      };
    }),
  };
}
