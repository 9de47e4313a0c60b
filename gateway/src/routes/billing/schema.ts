import { z } from 'zod';
import { listQuery } from '../../declaration/list-query.js';
import { time } from '../../declaration/present.js';

export const money = z.strictObject({
  amount: z.int().describe('in minor units'),
  currency: z.string().describe('ISO 4217'),
});

const invoiceStatus = z.enum(['draft', 'unpaid', 'paid', 'void', 'refunded', 'overdue']);
const serviceStatus = z.enum(['pending', 'provisioning', 'active', 'suspended', 'cancelled', 'terminated', 'failed']);

export const invoiceListQuery = listQuery('created_at', 'number', 'due_at', 'total').extend({
  status: invoiceStatus.optional(),
});

export const adminInvoiceListQuery = invoiceListQuery.extend({ user_id: z.uuid().optional() });

export const serviceListQuery = listQuery('created_at', 'next_due_at').extend({ status: serviceStatus.optional() });

/** How an invoice is shown: as data, or as a document. A link can name it; an Accept header it could not set. */
export const documentQuery = z.object({
  format: z.enum(['json', 'html', 'pdf']).prefault('json').describe('a document instead of JSON'),
});

const invoiceItem = z.strictObject({
  description: z.string(),
  service_id: z.string().nullable(),
  quantity: z.int(),
  unit_price: money,
  setup_fee: money,
  discount: money,
  net: money,
  tax: money,
  total: money,
  period_start_at: time.nullable(),
  period_end_at: time.nullable(),
});

const payment = z.strictObject({
  id: z.string(),
  method: z.string().describe('credits, manual, or the name of a gateway'),
  amount: money.describe('negative: money that went back'),
  reference: z.string(),
  created_at: time,
});

const customer = z.strictObject({
  name: z.string(),
  email: z.string(),
  company: z.string(),
  address: z.string(),
  country: z.string().describe('ISO 3166-1 alpha-2; empty: not known'),
  vat_number: z.string(),
});

export const invoice = z
  .strictObject({
    id: z.uuid(),
    number: z.string().nullable().describe('without gaps; null for a draft'),
    kind: z.enum(['invoice', 'credit_note']),
    status: invoiceStatus,
    user_id: z.string(),
    order_id: z.string().nullable(),
    corrects_invoice_id: z.string().nullable().describe('of a credit note: the invoice it corrects'),
    items: z.array(invoiceItem),
    subtotal: money,
    discount: money,
    tax: money,
    total: money,
    tax_rate: z.number().describe('percent'),
    tax_inclusive: z.boolean(),
    customer,
    seller: z.strictObject({ name: z.string(), address: z.string(), vat_number: z.string() }),
    payments: z.array(payment),
    refunded: money,
    issued_at: time.nullable(),
    due_at: time.nullable(),
    paid_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'Invoice' });

export const payBody = z.strictObject({
  payment_method: z.string().min(1).max(50).describe('credits, manual, or the name of a gateway'),
  return_url: z
    .string()
    .max(2000)
    .default('')
    .describe('where the payment page leads back to; an address of the panel'),
  save_payment_method: z.boolean().default(false),
});

export const paidInvoice = z.strictObject({
  invoice,
  payment_url: z.string().nullable().describe('where the customer pays; null when nothing is left to do there'),
});

export const service = z
  .strictObject({
    id: z.uuid(),
    user_id: z.string(),
    order_id: z.string().nullable(),
    product: z.strictObject({ id: z.string(), name: z.string() }),
    plan: z.strictObject({
      id: z.string(),
      name: z.string(),
      interval: z.string(),
      interval_count: z.int(),
    }),
    status: serviceStatus,
    suspend_reason: z.string().nullable(),
    server_id: z.string().nullable().describe('null until the server exists'),
    price: money,
    next_due_at: time.nullable(),
    cancel_at_period_end: z.boolean(),
    error: z.string().nullable().describe('why the last attempt on the server failed'),
    attempts: z.int(),
    next_attempt_at: time.nullable(),
    created_at: time,
    ended_at: time.nullable(),
  })
  .meta({ id: 'Service' });

export const cancelQuery = z.object({
  immediately: z
    .enum(['true', 'false'])
    .prefault('false')
    .transform((text) => text === 'true')
    .meta({ description: 'now, and not at the end of what is paid for', type: 'boolean', enum: undefined }),
});

export const credits = z
  .strictObject({
    balance: z.int().describe('in minor units'),
    currency: z.string().describe('ISO 4217'),
    entries: z
      .array(
        z.strictObject({
          id: z.string(),
          amount: z.int().describe('in minor units; negative: spent'),
          reason: z.string(),
          reference: z.string().nullable(),
          created_at: time,
        }),
      )
      .describe('the latest 50, newest first'),
  })
  .meta({ id: 'Credits' });
