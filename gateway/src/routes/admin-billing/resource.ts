import {
  Coupon,
  Coupon_Type,
  type CreateCouponRequest,
  type CreateProductRequest,
  Discrepancy,
  GrantCreditsRequest,
  GrantCreditsResponse,
  type ImportBankStatementRequest,
  ImportBankStatementRequest_Format,
  ImportBankStatementResponse,
  ListDiscrepanciesResponse,
  Money,
  type Plan,
  Product,
  RefundInvoiceRequest,
  RefundInvoiceRequest_Destination,
  RefundInvoiceResponse,
  StatementEntry,
  StatementEntry_Result,
  SetTaxExemptionRequest,
  UpdateCouponRequest,
  UpdateProductRequest,
  UpdateServiceRequest,
  UpdateServiceRequest_Action,
} from '@panel/protos/billing';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';
import type { SentNames } from '../../declaration/sent-names.js';
import { amountField, money, moneyBody } from '../billing/money.js';
import { creditEntry, invoice } from '../billing/resource.js';
import { count, plan, product } from '../store/resource.js';

const amount = moneyBody.describe('minor units alone are in the currency of the shop');
const uses = count.min(1).nullable();

export const createProductBody = product.createBody.refine(
  ({ plans, price }) => (plans === undefined) !== (price === undefined),
  {
    path: ['plans'],
    message: 'is required without price, and cannot be given with it',
    params: { reason: 'conflicting' },
    when: always,
  },
);

export const updateProductBody = product.updateBody.refine(
  ({ plans, price }) => plans === undefined || price === undefined,
  { path: ['plans'], message: 'cannot be given with price', params: { reason: 'conflicting' }, when: always },
);

export function productNames({ price }: { readonly price?: unknown }): SentNames {
  return price === undefined ? {} : { 'plans.0.price': 'price' };
}

/** `currency`: default of amounts. */
export function createProductRequest(
  { price, ...body }: z.output<typeof createProductBody>,
  currency: string,
): CreateProductRequest {
  const plans = plansOf({ ...body, price }, currency);
  return { product: product.read(Product, body, { slug: body.slug ?? slugOf(body.name), plans }) };
}

export function updateProductRequest(
  productId: string,
  { price, ...body }: z.output<typeof updateProductBody>,
  currency: string,
): UpdateProductRequest {
  const isPriced = body.plans !== undefined || price !== undefined;
  return product.read(UpdateProductRequest, body, {
    productId,
    stock: optional(body.stock),
    perUserLimit: optional(body.per_user_limit),
    plans: isPriced ? { plans: plansOf({ ...body, price }, currency) } : undefined,
    upgradeProductIds: body.upgrade_product_ids && { productIds: body.upgrade_product_ids },
  });
}

interface Priced {
  readonly plans?: readonly z.output<typeof plan.createBody>[] | undefined;
  readonly price?: z.output<typeof moneyBody> | undefined;
}

/** A bare price makes one monthly plan. */
function plansOf({ plans, price }: Priced, currency: string): Plan[] {
  const given = plans ?? [plan.createBody.parse({ name: 'Monthly', price })];
  const inCurrency = (sum: Money | undefined) => sum && { ...sum, currency: sum.currency || currency };
  return given.map(plan.readNew).map((each) => ({
    ...each,
    price: inCurrency(each.price),
    setupFee: inCurrency(each.setupFee),
  }));
}

function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 100) || 'product';
}

export const coupon = resource(Coupon, 'Coupon', {
  id: is.uuid('id'),
  code: is.text('code').settable(
    z
      .string()
      .trim()
      .min(3)
      .max(50)
      .regex(/^[\w-]+$/, 'must be letters, digits, - and _'),
  ),
  type: is.word('type', Coupon_Type),
  value: is.int('value').settable(z.int().min(1).describe('percent, or minor units')),
  currency: is.textOrNull('currency'),
  product_ids: is.uuids('productIds').settable(z.array(z.uuid()).max(1000), []),
  max_uses: is.intOrNull('maxUses').settable(uses, null),
  uses: is.int('uses'),
  max_uses_per_user: is.intOrNull('maxUsesPerUser').settable(uses, null),
  recurring: is
    .intOrNull('recurring', 'invoices of a service it holds for; null: all')
    .settable(z.int().min(1).max(1000).nullable(), 1),
  starts_at: is.timeOrNull('startTime').settable(z.iso.datetime().nullable(), null),
  expires_at: is.timeOrNull('expireTime').settable(z.iso.datetime().nullable(), null),
  created_at: is.time('createTime'),
});

/** Of the times that are given: a change of one is for the service. */
const endsAfterStart = ({ starts_at: start, expires_at: end }: CouponTimes) =>
  typeof start !== 'string' || typeof end !== 'string' || !(Date.parse(end) <= Date.parse(start));
const endProblem = {
  path: ['expires_at'],
  message: 'must be after starts_at',
  params: { reason: 'conflicting' },
  when: always,
};

interface CouponTimes {
  readonly starts_at?: string | null | undefined;
  readonly expires_at?: string | null | undefined;
}

export const createCouponBody = coupon.createBody
  .extend({ type: coupon.schema.shape.type })
  .refine(endsAfterStart, endProblem)
  .refine(({ type, value }) => type !== 'percent' || !(value > 100), {
    path: ['value'],
    message: 'must be a whole number from 1 to 100',
    params: { reason: 'out_of_range' },
    when: always,
  });

export const updateCouponBody = coupon.updateBody.refine(endsAfterStart, endProblem);

export function createCouponRequest(body: z.output<typeof createCouponBody>): CreateCouponRequest {
  return { coupon: coupon.read(Coupon, body, { type: coupon.fields.type.read(body.type) }) };
}

export function updateCouponRequest(couponId: string, body: z.output<typeof updateCouponBody>): UpdateCouponRequest {
  const { startTime, expireTime } = coupon.read(Coupon, body);
  return coupon.read(UpdateCouponRequest, body, {
    couponId,
    productIds: body.product_ids && { productIds: body.product_ids },
    maxUses: optional(body.max_uses),
    maxUsesPerUser: optional(body.max_uses_per_user),
    recurring: optional(body.recurring),
    startTime: body.starts_at === undefined ? undefined : { value: startTime },
    expireTime: body.expires_at === undefined ? undefined : { value: expireTime },
  });
}

/** Value, null, or undefined. */
function optional(value: number | null | undefined) {
  return value === undefined ? undefined : { value: value ?? undefined };
}

export const userFilter = z.uuid().or(z.literal('')).prefault('').describe('of this user only');

export const eggFilter = z.uuid('must be a UUID').optional().describe('only products whose servers are of this egg');

export const invoiceStatusBody = z.strictObject({
  status: z.enum(['paid', 'void']),
  reference: z.string().max(200).default(''),
});

const destination = is.word('destination', RefundInvoiceRequest_Destination);

export const refundRequest = resource(RefundInvoiceRequest, '', {
  amount: amountField('amount').settableAs(null, amount.optional().describe('default: everything that was paid')),
  destination: destination.settableAs(null, destination.shown.schema.default('credits')),
  reason: is.given('reason', z.string().max(500).default('')),
  cancel_services: is.given('cancelServices', z.boolean().default(false)),
});

export const refund = resource(RefundInvoiceResponse, '', {
  invoice: is.part('invoice', invoice),
  credit_note: is.partOrNull('creditNote', invoice),
});

const statementColumn = z.string().max(100).default('');
const statementColumns = z.strictObject({
  date: statementColumn,
  amount: statementColumn,
  text: statementColumn,
  currency: statementColumn,
  payer: statementColumn,
});
const statementFormat = z.enum(['camt', 'csv']);

export const bankStatementBody = z.strictObject({
  format: statementFormat.meta({ description: 'camt: camt.053 or camt.052 of ISO 20022', examples: ['csv'] }),
  content: z
    .string()
    .min(1)
    .max(786_432)
    .meta({ description: 'the file as text', examples: ['Date,Description,Amount\n2026-01-31,INV-000042,14.99\n'] }),
  columns: statementColumns.optional().meta({
    description: 'names of columns of a CSV file; default: the known ones of banks',
    examples: [{ date: 'Date', amount: 'Amount', text: 'Description' }],
  }),
  dry_run: z.boolean().default(false).describe('say what would be booked'),
});

export function bankStatementRequest(body: z.output<typeof bankStatementBody>): ImportBankStatementRequest {
  const { format, content, columns, dry_run: dryRun } = body;
  const { CAMT, CSV } = ImportBankStatementRequest_Format;
  return { format: format === 'camt' ? CAMT : CSV, content, columns, dryRun };
}

const statementEntry = resource(StatementEntry, '', {
  date: is.text('date'),
  amount: is.part('amount', money),
  payer: is.textOrNull('payer'),
  text: is.text('text'),
  result: is.word('result', StatementEntry_Result),
  invoice_ids: is.uuids('invoiceIds'),
});

export const bankStatement = resource(ImportBankStatementResponse, 'BankStatement', {
  entries: is.parts('entries', statementEntry),
});

export const grantRequest = resource(GrantCreditsRequest, '', {
  amount: amountField('amount').settableAs(null, amount),
  reason: is.given('reason', z.string().trim().min(1).max(500)),
});

export const grant = resource(GrantCreditsResponse, '', {
  entry: is.part('entry', creditEntry),
  ...is.within('balance', resource(Money, '', { balance: is.int('amountMinor'), currency: is.text('currency') })),
});

export const exemption = resource(SetTaxExemptionRequest, '', {
  tax_exemption: is
    .textOrNull('taxExemption')
    .settableAs(null, z.string().max(200).nullable().describe('why, as invoices say it; null or empty: not exempt')),
});

const action = is.word('action', UpdateServiceRequest_Action);

export const serviceRequest = resource(UpdateServiceRequest, '', {
  price: amountField('price').settableAs(null, amount.optional()),
  next_due_at: is.timeOrNull('nextDueTime').settableAs(null, z.iso.datetime().nullish()),
  action: action.settableAs(null, action.shown.schema.optional()),
  keep_invoicing: is.given(
    'keepInvoicing',
    z.boolean().default(false).describe('with suspend: its periods are invoiced all the same'),
  ),
});

const discrepancyKinds = [
  'paid_not_running',
  'running_not_paid',
  'suspended_but_paid',
  'ledger_mismatch',
  'credit_without_payment',
  'payment_unknown',
  'payment_missing',
  'event_failed',
  'product_without_egg',
  'service_without_user',
] as const;

const discrepancy = resource(Discrepancy, '', {
  kind: is.oneOf('kind', discrepancyKinds),
  reference: is.text('reference'),
  detail: is.text('detail'),
  repaired: is.flag('repaired'),
  found_at: is.time('foundTime'),
});

export const discrepancies = resource(ListDiscrepanciesResponse, '', {
  checked_at: is.timeOrNull('checkedTime'),
  discrepancies: is.parts('discrepancies', discrepancy),
});
