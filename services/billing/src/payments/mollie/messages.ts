import { z } from 'zod';

/** Used parts of Mollie's objects (docs.mollie.com/reference). Lists contain foreign payments: only their base is checked. */
const amount = z.object({ currency: z.string().regex(/^[A-Z]{3}$/), value: z.string().max(32) });
const time = z.coerce.date();
const optionalTime = time.nullish();

/** Of payments. Others are never looked up. */
export const paymentIdPattern = /^tr_[A-Za-z0-9]{4,64}$/;

export const refund = z.object({
  id: z.string().min(1),
  status: z.string(),
  amount,
  createdAt: time,
  metadata: z.unknown(),
});
export type Refund = z.output<typeof refund>;

const chargeback = z.object({ id: z.string().min(1), amount, createdAt: time, reversedAt: optionalTime });
export type Chargeback = z.output<typeof chargeback>;

const details = z.object({
  cardCountryCode: z.string().nullish(),
  cardLabel: z.string().nullish(),
  cardNumber: z.string().nullish(),
  consumerAccount: z.string().nullish(),
  failureReason: z.string().nullish(),
});

export const payment = z.object({
  id: z.string().min(1),
  status: z.string(),
  amount,
  metadata: z.unknown(),
  method: z.string().nullish(),
  sequenceType: z.string().nullish(),
  customerId: z.string().nullish(),
  mandateId: z.string().nullish(),
  details: details.nullish().catch(null),
  createdAt: time,
  paidAt: optionalTime,
  failedAt: optionalTime,
  canceledAt: optionalTime,
  expiredAt: optionalTime,
  _links: z.object({ checkout: z.object({ href: z.string() }).nullish() }).nullish(),
  _embedded: z.object({ refunds: z.array(refund).default([]), chargebacks: z.array(chargeback).default([]) }).nullish(),
});
export type Payment = z.output<typeof payment>;

export const paymentPage = z.object({
  _embedded: z.object({ payments: z.array(payment) }),
  _links: z.object({ next: z.object({ href: z.string() }).nullish() }).nullish(),
});

export const customer = z.object({ id: z.string().min(1) });

export const mandate = z.object({ status: z.string() });

/** A signed event. Of a refund or a chargeback the entity names the payment. */
export const webhookEvent = z.object({
  entityId: z.string(),
  createdAt: time,
  _embedded: z.object({ entity: z.object({ paymentId: z.string().nullish() }).nullish() }).nullish(),
});
