import {
  Cart,
  CartItem,
  CheckoutItem,
  CheckoutRequest,
  CheckoutResponse,
  Order,
  Order_Status,
  OrderItem,
  Plan,
  Product,
  ServerTemplate,
  UsageRates,
} from '@panel/protos/billing';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';
import { imageReference, nameText, plainText } from '../../declaration/text.js';
import { featureLimit, limits, runSettings } from '../admin-servers/resource.js';
import { amountField, amountFieldOrNull, money, moneyBody } from '../billing/money.js';
import { interval, invoice, itemConfig, paymentFields, service, taxLine, taxTreatment } from '../billing/resource.js';

const amount = moneyBody.describe('minor units alone are in the currency of the shop');
export const count = z.int().min(0).max(1_000_000_000);
const rate = z.int().min(0);

const usageRates = resource(UsageRates, '', {
  running_hour_micros: is
    .plain('runningHourMicros', rate.describe('millionths of a minor unit per running hour'))
    .settable(rate, 0),
  memory_gb_hour_micros: is.plain('memoryGbHourMicros', rate).settable(rate, 0),
  disk_gb_hour_micros: is.plain('diskGbHourMicros', rate).settable(rate, 0),
  traffic_gb_micros: is.plain('trafficGbMicros', rate).settable(rate, 0),
  monthly_cap: is.plain('monthlyCapMinor', rate.describe('minor units; 0: no cap')).settable(rate, 0),
});

export const plan = resource(Plan, '', {
  id: is.uuid('id').settable(z.uuid().or(z.literal('')), ''),
  name: is.text('name').settable(nameText(100), ''),
  price: amountField('price').settable(amount, 0),
  setup_fee: amountFieldOrNull('setupFee').settable(amount.nullable(), null),
  interval: interval.settable(interval.shown.schema, 'month'),
  interval_count: is.int('intervalCount').settable(z.int().min(1).max(100), 1),
  usage_rates: is
    .partOrNull('usageRates', usageRates, 'of metered plans only')
    .settable(usageRates.createBody.nullable(), null),
});

const priceProblem = (field: string, message: string) => ({
  path: [field],
  message,
  params: { reason: 'conflicting' },
  when: always,
});

const intervals = interval.shown.schema.options;

const consistentPlan = plan.createBody
  .refine(
    ({ interval: every, price, setup_fee: fee }) => every !== 'free' || (isZero(price) && isZero(fee)),
    priceProblem('price', 'must be 0 for a free plan'),
  )
  .refine(
    ({ interval: every, price }) => every !== 'metered' || isZero(price),
    priceProblem('price', 'must be 0 for a metered plan: usage_rates say what it costs'),
  )
  .refine(
    ({ interval: every, usage_rates: rates }) =>
      !intervals.includes(every) || (every === 'metered') === ((rates ?? null) !== null),
    priceProblem('usage_rates', 'must be given exactly with the interval metered'),
  );

/** Anything but an amount has a problem of its own. */
function isZero(given: z.output<typeof moneyBody> | null | undefined): boolean {
  const minor = typeof given === 'object' ? given?.amount : given;
  return typeof minor !== 'number' || minor === 0;
}

const { timezone, threads, oom_disabled, stop_grace } = runSettings.fields;
const autoStart = runSettings.schema.shape.auto_start;
const autoStarts = {
  about: autoStart.description,
  unspecified: 'unless_stopped',
} as const;
const environment = z.record(z.string(), z.string());

const serverTemplate = resource(ServerTemplate, '', {
  egg_id: is.uuid('eggId').settable(z.uuid('must be a UUID')),
  ...limits.fields,
  databases_limit: is.int('databasesLimit').settable(featureLimit, 0),
  backups_limit: is.int('backupsLimit').settable(featureLimit, 0),
  allocations_limit: is.int('allocationsLimit').settable(featureLimit, 1),
  node_tags: is.texts('nodeTags').settable(z.array(z.string()), []),
  environment: is.plain('environment', environment).settable(environment, {}),
  docker_image: is.textOrNull('dockerImage').settable(imageReference.nullable(), null),
  auto_start: is.oneOf('autoStart', autoStart.options, autoStarts).settable(autoStart, 'unless_stopped'),
  timezone,
  threads,
  oom_disabled,
  stop_grace,
});

function readTemplate(body: z.output<typeof serverTemplate.createBody>): ServerTemplate {
  return serverTemplate.read(ServerTemplate, body, {
    timezone: body.timezone ?? undefined,
    threads: body.threads?.replaceAll(' ', ''),
    stopGraceSeconds: body.stop_grace ?? undefined,
  });
}

const slug = z
  .string()
  .max(100)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be small letters, digits and - between them');
const onePrice = amount.describe('instead of plans: one monthly plan');
const plans = z.array(consistentPlan).min(1).max(20);

export const product = resource(Product, 'Product', {
  id: is.uuid('id'),
  name: is.text('name').settable(nameText(191).min(1)),
  slug: is.text('slug').settableAs(slug, slug.optional().describe('default: from the name')),
  description: is.text('description').settable(plainText(10_000), ''),
  category: is.text('category').settable(nameText(100), ''),
  active: is.flag('active').settable(z.boolean(), true),
  stock: is.intOrNull('stock', 'null: unlimited').settable(count.nullable(), null),
  per_user_limit: is.intOrNull('perUserLimit', 'null: unlimited').settable(count.min(1).nullable(), null),
  plans: is.parts('plans', plan).settableAs(plans, plans.optional()),
  price: is.writeOnly('price', onePrice, onePrice.optional()),
  server: is
    .partOrNull('server', { ...serverTemplate, readNew: readTemplate })
    .settableAs(serverTemplate.createBody.nullable(), serverTemplate.createBody),
  upgrade_product_ids: is
    .uuids('upgradeProductIds', 'products a service of this one may change to')
    .settable(z.array(z.uuid()).max(100), []),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

const cartItem = resource(CartItem, '', {
  id: is.uuid('id'),
  product_id: is.uuid('productId'),
  product_name: is.text('productName'),
  plan_id: is.uuid('planId'),
  plan_name: is.text('planName'),
  quantity: is.int('quantity'),
  config: is.part('config', itemConfig),
  unit_price: is.part('unitPrice', money),
  setup_fee: is.part('setupFee', money),
  subtotal: is.part('subtotal', money),
  discount: is.part('discount', money),
  problem: is.textOrNull('problem', 'why it cannot be bought any more'),
});

export const cart = resource(Cart, 'Cart', {
  id: is.uuid('id'),
  items: is.parts('items', cartItem),
  coupon: is.textOrNull('couponCode'),
  subtotal: is.part('subtotal', money),
  discount: is.part('discount', money),
  tax: is.part('tax', money),
  total: is.part('total', money),
  tax_inclusive: is.flag('taxInclusive'),
  tax_treatment: taxTreatment,
  taxes: is.parts('taxes', taxLine, 'sums by rate'),
});

/** For the cart, or instead of it. */
export const chosenItem = resource(CheckoutItem, '', {
  product_id: is.given('productId', z.uuid()),
  plan_id: is.given('planId', z.uuid().or(z.literal('')).default('')),
  quantity: is.given('quantity', z.int().min(1).max(20).default(1)),
  config: is.part('config', itemConfig).settableAs(null, itemConfig.createBody.prefault({})),
});

export const couponBody = z.strictObject({ code: z.string().trim().min(1).max(100) });

export const checkout = resource(CheckoutRequest, '', {
  payment_method: paymentFields.payment_method,
  items: is
    .parts('items', chosenItem)
    .settableAs(null, z.array(chosenItem.createBody).max(20).default([]).describe('instead of the cart')),
  coupon: is.given('couponCode', z.string().max(100).default('').describe('with items; the cart has its own')),
  return_url: paymentFields.return_url,
  save_payment_method: paymentFields.save_payment_method,
  use_credits: paymentFields.use_credits,
});

const orderItem = resource(OrderItem, '', {
  product_id: is.uuid('productId'),
  product_name: is.text('productName'),
  plan_id: is.uuid('planId'),
  plan_name: is.text('planName'),
  quantity: is.int('quantity'),
  unit_price: is.part('unitPrice', money),
  setup_fee: is.part('setupFee', money),
  discount: is.part('discount', money),
  tax: is.part('tax', money),
  total: is.part('total', money),
  config: is.part('config', itemConfig),
});

export const order = resource(Order, 'Order', {
  id: is.uuid('id'),
  number: is.text('number'),
  user_id: is.uuid('userId'),
  status: is.word('status', Order_Status),
  items: is.parts('items', orderItem),
  total: is.part('total', money),
  coupon: is.textOrNull('couponCode'),
  invoice_id: is.uuid('invoiceId'),
  service_ids: is.uuids('serviceIds'),
  created_at: is.time('createTime'),
});

export const checkoutResult = resource(CheckoutResponse, '', {
  order: is.part('order', order),
  invoice: is.part('invoice', invoice),
  services: is.parts('services', service),
  payment_url: is.textOrNull('paymentUrl', 'where to pay; null when nothing is to do there'),
});
