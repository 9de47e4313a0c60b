import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { adminServer } from '../admin-servers/resource.js';
import { invoice, planIntervals, service } from '../billing/schema.js';
import { money } from '../billing/money.js';

const usageRates = z.strictObject({
  running_hour_micros: z.int().min(0).describe('millionths of a minor unit per running hour'),
  memory_gb_hour_micros: z.int().min(0),
  disk_gb_hour_micros: z.int().min(0),
  traffic_gb_micros: z.int().min(0),
  monthly_cap: z.int().min(0).describe('minor units; 0: no cap'),
});

const plan = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  price: money,
  setup_fee: money.nullable(),
  interval: z.enum(planIntervals),
  interval_count: z.int(),
  usage_rates: usageRates.nullable().describe('of metered plans only'),
});

export const product = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    category: z.string(),
    active: z.boolean(),
    stock: z.int().nullable().describe('null: unlimited'),
    per_user_limit: z.int().nullable().describe('null: unlimited'),
    plans: z.array(plan),
    server: z
      .strictObject({
        egg_id: z.uuid(),
        memory: z.int(),
        cpu: z.int(),
        disk: z.int(),
        swap: z.int(),
        io: z.int(),
        databases_limit: z.int(),
        backups_limit: z.int(),
        allocations_limit: z.int(),
        node_tags: z.array(z.string()),
        environment: z.record(z.string(), z.string()),
        docker_image: z.string().nullable(),
        auto_start: adminServer.schema.shape.auto_start,
        timezone: adminServer.schema.shape.timezone,
        threads: adminServer.schema.shape.threads,
        oom_disabled: adminServer.schema.shape.oom_disabled,
        stop_grace: adminServer.schema.shape.stop_grace,
      })
      .nullable(),
    upgrade_product_ids: z.array(z.uuid()).describe('products a service of this one may change to'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Product' });

const itemConfig = z.strictObject({ server_name: z.string(), environment: z.record(z.string(), z.string()) });

export const cart = z
  .strictObject({
    id: z.uuid(),
    items: z.array(
      z.strictObject({
        id: z.uuid(),
        product_id: z.uuid(),
        product_name: z.string(),
        plan_id: z.uuid(),
        plan_name: z.string(),
        quantity: z.int(),
        config: itemConfig,
        unit_price: money,
        setup_fee: money,
        subtotal: money,
        discount: money,
        problem: z.string().nullable().describe('why it cannot be bought any more'),
      }),
    ),
    coupon: z.string().nullable(),
    subtotal: money,
    discount: money,
    tax: money,
    total: money,
  })
  .meta({ id: 'Cart' });

const configBody = z
  .strictObject({
    server_name: z.string().max(191).default(''),
    environment: z.record(z.string(), z.string()).default({}),
  })
  .prefault({});

export const cartItemBody = z.strictObject({
  product_id: z.uuid(),
  plan_id: z.uuid().or(z.literal('')).default(''),
  quantity: z.int().min(1).max(20).default(1),
  config: configBody,
});

export type CartItemBody = z.output<typeof cartItemBody>;

export const couponBody = z.strictObject({ code: z.string().trim().min(1).max(100) });

const paymentMethod = z.string().min(1).max(50).describe('credits, manual, or a gateway: GET /billing/payment-methods');

export const checkoutBody = z.strictObject({
  payment_method: paymentMethod,
  items: z.array(cartItemBody).max(20).default([]).describe('instead of the cart'),
  coupon: z.string().max(100).default('').describe('with items; the cart has its own'),
  return_url: z.string().max(1000).default('').describe("on the panel's own address"),
  save_payment_method: z.boolean().default(false),
});

export const order = z
  .strictObject({
    id: z.uuid(),
    number: z.string(),
    user_id: z.uuid(),
    status: z.enum(['pending', 'paid', 'completed', 'cancelled', 'failed']),
    items: z.array(
      z.strictObject({
        product_id: z.uuid(),
        product_name: z.string(),
        plan_id: z.uuid(),
        plan_name: z.string(),
        quantity: z.int(),
        unit_price: money,
        setup_fee: money,
        discount: money,
        tax: money,
        total: money,
        config: itemConfig,
      }),
    ),
    total: money,
    coupon: z.string().nullable(),
    invoice_id: z.uuid(),
    service_ids: z.array(z.uuid()),
    created_at: time,
  })
  .meta({ id: 'Order' });

export const checkoutResult = z.strictObject({
  order,
  invoice,
  services: z.array(service),
  payment_url: z.string().nullable().describe('where to pay; null when nothing is to do there'),
});
