import { type FieldMessages, fieldProblem, invalidFields, requireValid } from '@panel/kit/errors';
import type { PricedOrder } from '../../domain/priced-order.js';
import { isQuantity, type ItemConfig, maxCartItems, maxQuantity } from '../../domain/cart.js';
import { planOf } from '../../domain/product.js';
import type { BillingContext } from '../../context.js';
import type { Coupon } from '../../domain/coupon.js';
import { type CouponOrder, couponProblem } from '../../domain/coupon-rules.js';
import { maxTotalMinor } from '../../domain/money.js';
import { quote, type WantedItem } from '../../domain/quote.js';
import type { BillingSettings } from '../../domain/settings.js';
import { taxFor } from '../../domain/tax.js';
import { requireTypedCoupon } from '../coupons/require-typed-coupon.js';
import { variableProblems } from './variable-problems.js';

export interface RequestedItem {
  readonly productId: string;
  /** Empty: the first plan. */
  readonly planId: string;
  readonly quantity: number;
  readonly config: ItemConfig;
}

type PricingDeps = Pick<
  BillingContext,
  'products' | 'coupons' | 'couponAttempts' | 'profiles' | 'clock' | 'eggs' | 'log'
>;

/** Throws INVALID_FIELDS naming `<prefix><n>.product_id` etc., `cart` for mixed currencies, `coupon`; RATE_LIMIT_EXCEEDED. */
export async function priceItems(
  deps: PricingDeps,
  request: {
    readonly userId: string;
    readonly items: readonly RequestedItem[];
    readonly couponCode: string;
    /** Not from a cart, which has proved it. */
    readonly isCodeTyped: boolean;
    readonly settings: BillingSettings;
    readonly at: Date;
    readonly prefix: string;
  },
): Promise<PricedOrder> {
  const { userId, items, couponCode, isCodeTyped, settings, at } = request;
  if (items.length > maxCartItems)
    throw invalidFields({ items: [fieldProblem('too_long', `must be at most ${maxCartItems}`)] });
  const [wanted, known, profile] = await Promise.all([
    resolveItems(deps, items, request.prefix),
    couponCode === '' || isCodeTyped ? null : deps.coupons.findByCode(couponCode),
    deps.profiles.get(userId),
  ]);
  const currencies = [...new Set(wanted.map(({ plan }) => plan.currency))];
  if (currencies.length > 1)
    throw invalidFields({ cart: [fieldProblem('conflicting', 'holds prices in different currencies')] });
  const currency = currencies[0] ?? settings.currency;
  const order = { productIds: wanted.map(({ product }) => product.id), currency, at };
  const coupon = couponCode === '' ? null : await requireCoupon(deps, request, known, order);
  const tax = taxFor(profile, settings, at);
  const priced = quote(wanted, coupon, tax);
  if (priced.totalMinor > maxTotalMinor) throw invalidFields({ cart: ['is too expensive for one order'] });
  return { quote: priced, coupon, tax, currency, profile };
}

/** `known`: of a code that a cart has taken, when it was usable. */
async function requireCoupon(
  deps: PricingDeps,
  { userId, couponCode, isCodeTyped }: { userId: string; couponCode: string; isCodeTyped: boolean },
  known: Coupon | null,
  order: CouponOrder,
): Promise<Coupon> {
  if (isCodeTyped) return requireTypedCoupon(deps, { userId, code: couponCode, field: 'coupon' }, order);
  const problem = known ? couponProblem(known, order) : 'does not exist any more';
  if (!known || problem !== null) throw invalidFields({ coupon: [problem ?? ''] });
  return known;
}

async function resolveItems(
  deps: Pick<BillingContext, 'products' | 'eggs' | 'log'>,
  items: readonly RequestedItem[],
  prefix: string,
): Promise<WantedItem[]> {
  const found = new Map(
    (await deps.products.getMany(items.map(({ productId }) => productId))).map((it) => [it.id, it]),
  );
  const problems: FieldMessages = {};
  const wanted = items.flatMap(({ productId, planId, quantity, config }, index) => {
    const product = found.get(productId);
    const plan = product && planOf(product, planId);
    const field = (name: string) => `${prefix}${index}.${name}`;
    if (!product?.active) problems[field('product_id')] = [fieldProblem('not_found', 'is not for sale')];
    else if (!plan) problems[field('plan_id')] = [fieldProblem('not_found', 'is no plan of this product')];
    if (!isQuantity(quantity))
      problems[field('quantity')] = [fieldProblem('out_of_range', `must be a whole number from 1 to ${maxQuantity}`)];
    return product && plan ? [{ product, plan, quantity, config }] : [];
  });
  const ofVariables = await Promise.all(
    items.map(async ({ productId, config }, index) => {
      const product = found.get(productId);
      return product?.active ? variableProblems(deps, product, config, `${prefix}${index}.`) : {};
    }),
  );
  requireValid(Object.assign(problems, ...ofVariables));
  return wanted;
}
