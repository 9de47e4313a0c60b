import { z } from 'zod';

/** Used parts of PayPal's objects (developer.paypal.com/docs/api/orders/v2, payments/v2, disputes/v1). */
const amount = z.object({ currency_code: z.string().regex(/^[A-Z]{3}$/), value: z.string().max(32) });
const links = z.array(z.object({ rel: z.string(), href: z.string() })).default([]);
const time = z.coerce.date();

export const capture = z.object({
  id: z.string().min(1),
  status: z.string(),
  amount,
  custom_id: z.string().optional(),
  create_time: time,
  supplementary_data: z.object({ related_ids: z.object({ order_id: z.string().optional() }).optional() }).optional(),
});
export type Capture = z.output<typeof capture>;

export const order = z.object({
  id: z.string().min(1),
  status: z.string(),
  links,
  purchase_units: z
    .array(
      z.object({
        custom_id: z.string().optional(),
        amount: amount.optional(),
        payments: z.object({ captures: z.array(capture).default([]) }).optional(),
      }),
    )
    .default([]),
});
export type Order = z.output<typeof order>;

export const refund = z.object({
  id: z.string().min(1),
  status: z.string(),
  amount: amount.optional(),
  create_time: time.optional(),
  links,
});
export type Refund = z.output<typeof refund>;

export const dispute = z.object({
  dispute_id: z.string().min(1),
  status: z.string(),
  create_time: time,
  dispute_amount: amount,
  disputed_transactions: z.array(z.object({ seller_transaction_id: z.string().optional() })).default([]),
  dispute_outcome: z.object({ outcome_code: z.string().optional() }).optional(),
});
export type Dispute = z.output<typeof dispute>;

export const webhookEvent = z.object({
  id: z.string().min(1),
  event_type: z.string(),
  create_time: time,
  resource: z.unknown(),
});

export const verification = z.object({ verification_status: z.string() });

export const transactions = z.object({
  total_pages: z.number().int().nonnegative().default(0),
  transaction_details: z
    .array(
      z.object({
        transaction_info: z.object({
          transaction_id: z.string(),
          transaction_status: z.string(),
          transaction_initiation_date: time,
          transaction_amount: amount,
          custom_field: z.string().optional(),
        }),
      }),
    )
    .default([]),
});
