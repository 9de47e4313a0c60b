import type { Coupon, SubscriptionDiscount } from './coupon.js';
import type { ItemConfig } from './cart.js';
import { allocate, scaleHalfUp } from './money.js';
import type { Plan, Product } from './product.js';
import { type TaxRate, withTax } from './tax.js';

export interface WantedItem {
  readonly product: Product;
  readonly plan: Plan;
  readonly quantity: number;
  readonly config: ItemConfig;
}

interface QuotedItem extends WantedItem {
  /** Quantity times price and fee. */
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly netMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
}

export interface Quote {
  readonly items: readonly QuotedItem[];
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
}

/** One currency. Lines are rounded; totals sum them. */
export function quote(wanted: readonly WantedItem[], coupon: Coupon | null, rate: TaxRate): Quote {
  const subtotals = wanted.map(({ plan, quantity }) => quantity * (plan.priceMinor + plan.setupFeeMinor));
  const discounts = coupon ? discountsOf(wanted, subtotals, coupon) : subtotals.map(() => 0);
  const items = wanted.map((item, index) => {
    const subtotalMinor = subtotals[index] ?? 0;
    const discountMinor = discounts[index] ?? 0;
    return { ...item, subtotalMinor, discountMinor, ...withTax(subtotalMinor - discountMinor, rate) };
  });
  const sum = (field: 'subtotalMinor' | 'discountMinor' | 'taxMinor' | 'totalMinor') =>
    items.reduce((total, item) => total + item[field], 0);
  return {
    items,
    subtotalMinor: sum('subtotalMinor'),
    discountMinor: sum('discountMinor'),
    taxMinor: sum('taxMinor'),
    totalMinor: sum('totalMinor'),
  };
}

export function isEligible(coupon: Pick<Coupon, 'productIds'>, productId: string): boolean {
  return coupon.productIds.length === 0 || coupon.productIds.includes(productId);
}

function discountsOf(wanted: readonly WantedItem[], subtotals: readonly number[], coupon: Coupon): number[] {
  const eligible = wanted.map(({ product }, index) => (isEligible(coupon, product.id) ? (subtotals[index] ?? 0) : 0));
  if (coupon.type === 'percent') return eligible.map((subtotal) => percentOf(subtotal, coupon.value));
  const most = eligible.reduce((sum, subtotal) => sum + subtotal, 0);
  return allocate(Math.min(coupon.value, most), eligible);
}

export function discountOfUnit(coupon: Coupon | null, item: QuotedItem): SubscriptionDiscount | null {
  if (!coupon || item.discountMinor === 0) return null;
  return {
    couponId: coupon.id,
    code: coupon.code,
    type: coupon.type,
    value: coupon.type === 'percent' ? coupon.value : Math.floor(item.discountMinor / item.quantity),
    remaining: coupon.recurring === null ? null : coupon.recurring - 1,
  };
}

/** Half up; less than 100 percent leave something of each price. */
function percentOf(priceMinor: number, percent: number): number {
  const most = percent === 100 ? priceMinor : Math.max(0, priceMinor - 1);
  return Math.min(scaleHalfUp(priceMinor, percent, 100), most);
}

export function renewalDiscount(discount: SubscriptionDiscount | null, priceMinor: number): number {
  return discount && discount.remaining !== 0 ? discountOf(discount, priceMinor) : 0;
}

/** Of one period. */
export function discountOf(discount: SubscriptionDiscount, priceMinor: number): number {
  if (discount.type === 'percent') return percentOf(priceMinor, discount.value);
  return Math.min(discount.value, priceMinor);
}
