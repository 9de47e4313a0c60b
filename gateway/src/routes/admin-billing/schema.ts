import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { featureLimit, limits, runSettings } from '../admin-servers/resource.js';
import { invoice } from '../billing/schema.js';
import { money } from '../billing/money.js';

const amount = money.or(z.int()).describe('minor units alone are in the currency of the shop');
const count = z.int().min(0).max(1_000_000_000);

const usageRates = z.strictObject({
  running_hour_micros: z.int().min(0).default(0),
  memory_gb_hour_micros: z.int().min(0).default(0),
  disk_gb_hour_micros: z.int().min(0).default(0),
  traffic_gb_micros: z.int().min(0).default(0),
  monthly_cap: z.int().min(0).default(0),
});

const planBody = z.strictObject({
  id: z.uuid().or(z.literal('')).default(''),
  name: z.string().max(100).default(''),
  price: amount.default(0),
  setup_fee: amount.nullable().default(null),
  interval: z.enum(['day', 'week', 'month', 'year', 'once', 'free', 'metered']).default('month'),
  interval_count: z.int().min(1).max(100).default(1),
  usage_rates: usageRates.nullable().default(null),
});

const serverBody = z.strictObject({
  egg_id: z.uuid('must be a UUID'),
  ...limits.createBody.shape,
  databases_limit: featureLimit.default(0),
  backups_limit: featureLimit.default(0),
  allocations_limit: featureLimit.default(1),
  node_tags: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  docker_image: z.string().nullable().default(null),
  ...runSettings.createBody.shape,
});

const productFields = {
  name: z.string().trim().min(1).max(191),
  slug: z.string().max(100),
  description: z.string().max(10_000),
  category: z.string().max(100),
  active: z.boolean(),
  stock: count.nullable(),
  per_user_limit: count.min(1).nullable(),
  plans: z.array(planBody).min(1).max(20),
  price: amount.describe('instead of plans: one monthly plan'),
  server: serverBody,
  upgrade_product_ids: z.array(z.uuid()).max(100),
};

export const createProductBody = z
  .strictObject({
    ...productFields,
    slug: productFields.slug.optional().describe('default: from the name'),
    description: productFields.description.default(''),
    category: productFields.category.default(''),
    active: productFields.active.default(true),
    stock: productFields.stock.default(null),
    per_user_limit: productFields.per_user_limit.default(null),
    plans: productFields.plans.optional(),
    price: productFields.price.optional(),
    upgrade_product_ids: productFields.upgrade_product_ids.default([]),
  })
  .refine(({ plans, price }) => (plans === undefined) !== (price === undefined), {
    path: ['plans'],
    message: 'is required without price, and cannot be given with it',
  });

export const updateProductBody = z
  .strictObject(productFields)
  .partial()
  .refine(({ plans, price }) => plans === undefined || price === undefined, {
    path: ['plans'],
    message: 'cannot be given with price',
  });

export type PlanBody = z.output<typeof planBody>;
export type ServerBody = z.output<typeof serverBody>;
export type CreateProductBody = z.output<typeof createProductBody>;
export type UpdateProductBody = z.output<typeof updateProductBody>;

export const coupon = z
  .strictObject({
    id: z.uuid(),
    code: z.string(),
    type: z.enum(['percent', 'fixed']),
    value: z.int(),
    currency: z.string().nullable(),
    product_ids: z.array(z.uuid()),
    max_uses: z.int().nullable(),
    uses: z.int(),
    max_uses_per_user: z.int().nullable(),
    recurring: z.int().nullable().describe('invoices of a service it holds for; null: all'),
    starts_at: time.nullable(),
    expires_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'Coupon' });

const couponFields = {
  code: z.string().trim().min(3).max(50),
  value: z.int().min(1).describe('percent, or minor units'),
  product_ids: z.array(z.uuid()).max(1000),
  max_uses: count.min(1).nullable(),
  max_uses_per_user: count.min(1).nullable(),
  recurring: z.int().min(1).max(1000).nullable(),
  starts_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
};

export const createCouponBody = z.strictObject({
  ...couponFields,
  type: z.enum(['percent', 'fixed']),
  product_ids: couponFields.product_ids.default([]),
  max_uses: couponFields.max_uses.default(null),
  max_uses_per_user: couponFields.max_uses_per_user.default(null),
  recurring: couponFields.recurring.default(1),
  starts_at: couponFields.starts_at.default(null),
  expires_at: couponFields.expires_at.default(null),
});
export const updateCouponBody = z.strictObject(couponFields).partial();
export type CreateCouponBody = z.output<typeof createCouponBody>;
export type UpdateCouponBody = z.output<typeof updateCouponBody>;

export const userFilter = z.uuid().or(z.literal('')).prefault('').describe('of this user only');

export const eggFilter = z.uuid('must be a UUID').optional().describe('only products whose servers are of this egg');

export const invoiceStatusBody = z.strictObject({
  status: z.enum(['paid', 'void']),
  reference: z.string().max(200).default(''),
});
export const refundBody = z.strictObject({
  amount: amount.optional().describe('default: everything that was paid'),
  destination: z.enum(['credits', 'original']).default('credits'),
  reason: z.string().max(500).default(''),
  cancel_services: z.boolean().default(false),
});
export const refund = z.strictObject({ invoice, credit_note: invoice.nullable() });
export const grantBody = z.strictObject({ amount, reason: z.string().trim().min(1).max(500) });
export const grant = z.strictObject({
  entry: z.strictObject({
    id: z.string(),
    amount: money,
    reason: z.string(),
    reference: z.string().nullable(),
    created_at: time,
  }),
  balance: z.int(),
  currency: z.string(),
});
export const serviceBody = z.strictObject({
  price: amount.optional(),
  next_due_at: z.iso.datetime().optional(),
  action: z.enum(['suspend', 'unsuspend', 'terminate']).optional(),
});

export const discrepancies = z.strictObject({
  checked_at: time.nullable(),
  discrepancies: z.array(
    z.strictObject({
      kind: z.enum([
        'paid_not_running',
        'running_not_paid',
        'suspended_but_paid',
        'ledger_mismatch',
        'payment_unknown',
        'payment_missing',
        'event_failed',
        'product_without_egg',
      ]),
      reference: z.string(),
      detail: z.string(),
      repaired: z.boolean(),
      found_at: time,
    }),
  ),
});
