import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { money } from './money.js';

/** How often a plan is paid. */
export const planIntervals = ['day', 'week', 'month', 'year', 'once', 'free', 'metered'] as const;

const payment = z.strictObject({
  id: z.string().describe('also one of the gateway: `stripe:…`'),
  method: z.string(),
  amount: money,
  reference: z.string(),
  created_at: time,
});

export const invoice = z
  .strictObject({
    id: z.uuid(),
    number: z.string().nullable(),
    kind: z.enum(['invoice', 'credit_note']),
    status: z.enum(['draft', 'unpaid', 'paid', 'void', 'refunded', 'overdue']),
    user_id: z.uuid(),
    order_id: z.uuid().nullable(),
    corrects_invoice_id: z.uuid().nullable(),
    items: z.array(
      z.strictObject({
        description: z.string(),
        service_id: z.uuid().nullable(),
        quantity: z.int(),
        unit_price: money,
        setup_fee: money,
        discount: money,
        net: money,
        tax: money,
        total: money,
        period_start: time.nullable(),
        period_end: time.nullable(),
      }),
    ),
    subtotal: money,
    discount: money,
    tax: money,
    total: money,
    tax_rate: z.number().describe('percent'),
    tax_inclusive: z.boolean(),
    customer: z.strictObject({
      name: z.string(),
      email: z.string(),
      company: z.string(),
      address: z.string(),
      country: z.string(),
      vat_number: z.string(),
    }),
    seller: z.strictObject({ name: z.string(), address: z.string(), vat_number: z.string() }),
    payments: z.array(payment),
    refunded: money,
    issued_at: time,
    due_at: time,
    paid_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'Invoice' });

export const service = z
  .strictObject({
    id: z.uuid(),
    user_id: z.uuid(),
    order_id: z.uuid(),
    product: z.strictObject({ id: z.uuid(), name: z.string() }),
    plan: z.strictObject({ id: z.uuid(), name: z.string() }),
    status: z.enum(['pending', 'provisioning', 'active', 'suspended', 'cancelled', 'terminated', 'failed']),
    suspend_reason: z.enum(['overdue', 'operator', 'balance', 'dispute']).nullable(),
    server_id: z.uuid().nullable(),
    price: money,
    interval: z.enum(planIntervals),
    interval_count: z.int(),
    next_due_at: time.nullable(),
    cancel_at_period_end: z.boolean(),
    config: z.strictObject({ server_name: z.string(), environment: z.record(z.string(), z.string()) }),
    error: z.string().nullable().describe('why the last attempt on the server failed'),
    attempts: z.int(),
    next_attempt_at: time.nullable(),
    created_at: time,
    ended_at: time.nullable(),
  })
  .meta({ id: 'Service' });

export const credits = z
  .strictObject({
    balance: z.int().describe('in minor units'),
    currency: z.string(),
    entries: z.array(
      z.strictObject({
        id: z.string(),
        amount: money,
        reason: z.string(),
        reference: z.string().nullable(),
        created_at: time,
      }),
    ),
  })
  .meta({ id: 'Credits' });

export const invoiceStatus = z.enum(['draft', 'unpaid', 'paid', 'void', 'refunded', 'overdue']).optional();
export const serviceStatus = z
  .enum(['pending', 'provisioning', 'active', 'suspended', 'cancelled', 'terminated', 'failed'])
  .optional();
export const orderStatus = z.enum(['pending', 'paid', 'completed', 'cancelled', 'failed']).optional();

const method = z.string().min(1).max(50).describe('credits, manual, or a gateway: GET /billing/payment-methods');
const returnUrl = z.string().max(1000).default('').describe("on the panel's own address");

export const payBody = z.strictObject({
  payment_method: method,
  return_url: returnUrl,
  save_payment_method: z.boolean().default(false),
});
export const paidInvoice = z.strictObject({ invoice, payment_url: z.string().nullable() });
export const buyCreditsBody = z.strictObject({
  amount: money.or(z.int()).describe('minor units, in the currency of the shop'),
  payment_method: method.meta({
    description: 'manual, or a gateway: GET /billing/payment-methods',
    examples: ['manual'],
  }),
  return_url: returnUrl,
});
export const changePlanBody = z.strictObject({
  product_id: z.uuid().or(z.literal('')).default(''),
  plan_id: z.uuid(),
  payment_method: method.default('credits'),
});
export const changedPlan = z.strictObject({
  service,
  invoice_id: z.uuid().nullable(),
  prorated: money.describe('negative: what was credited'),
  payment_url: z.string().nullable(),
});
export const cancelQuery = z.object({
  immediately: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .prefault('false')
    .describe('true: at once, not at the end of the period'),
});
export const paymentMethods = z.strictObject({ methods: z.array(z.string()) });
export const storedMethod = z.strictObject({ id: z.uuid(), gateway: z.string(), label: z.string(), created_at: time });
export const profile = z.strictObject({
  name: z.string(),
  email: z.string(),
  company: z.string(),
  address: z.string(),
  country: z.string(),
  vat_number: z.string(),
});
export const profileBody = z
  .strictObject({
    name: z.string().max(200),
    company: z.string().max(200),
    address: z.string().max(500),
    country: z.string().max(20).describe('ISO 3166-1 alpha-2; decides the tax rate'),
    vat_number: z.string().max(30),
  })
  .partial();

/** How an invoice is shown: as data, or as a document. A link can name it; an Accept header it could not set. */
export const documentQuery = z.object({
  format: z.enum(['json', 'html', 'pdf']).prefault('json').describe('a document instead of JSON'),
});
