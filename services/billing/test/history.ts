import { randomUUID } from 'node:crypto';
import { AppError, assertNever } from '@panel/kit/errors';
import { resumeSubscription } from '../src/usecases/subscriptions/resume-subscription.js';
import type { BillingContext } from '../src/context.js';
import type { InvoiceDispute, InvoiceRecord } from '../src/domain/invoice.js';
import type { Product } from '../src/domain/product.js';
import { receiveEvents } from '../src/payment-events/receive-events.js';
import { buyCredits } from '../src/usecases/credits/buy-credits.js';
import { grantCredits } from '../src/usecases/credits/grant-credits.js';
import { createGiftCodes } from '../src/usecases/gift-codes/create-gift-codes.js';
import { redeemGiftCode } from '../src/usecases/gift-codes/redeem-gift-code.js';
import { markInvoicePaid } from '../src/usecases/invoices/mark-paid.js';
import { payFromCredits } from '../src/invoicing/pay-from-credits.js';
import { recordPayment } from '../src/invoicing/record-payment.js';
import { refundInvoice } from '../src/refunds/refund-invoice.js';
import { voidInvoice } from '../src/invoicing/void-invoice.js';
import { checkout } from '../src/usecases/orders/checkout.js';
import { cancelSubscription } from '../src/usecases/subscriptions/cancel-subscription.js';
import { changePlan } from '../src/usecases/subscriptions/change-plan.js';
import { updateSubscription } from '../src/usecases/subscriptions/update-subscription.js';
import type { FakeServers } from './fakes.js';
import fc from 'fast-check';

export interface History {
  readonly context: BillingContext;
  readonly products: readonly Product[];
  readonly servers: FakeServers;
  /** Moves the clock, then runs all jobs. */
  readonly advance: (ms: number) => Promise<void>;
  /** The process ends at the next pass of this point. */
  readonly crash: (point: string) => void;
}

const users = Array.from({ length: 6 }, (_, index) => `7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a0${index}`);

/** Crash points between writes. */
const points = [
  'checkout.stored',
  'checkout.held',
  'checkout.debited',
  'checkout.decided',
  'fulfil.subscriptions',
  'fulfil.invoice',
  'fulfil.effects',
  'provision.created',
  'pay.intended',
  'pay.debited',
  'pay.recorded',
  'refund.started',
  'refund.returned',
  'refund.noted',
  'renew.invoiced',
  'renew.marked',
  'dispute.held',
  'dispute.refunded',
  'change.held',
  'change.made',
  'change.waiting',
  'void.marked',
  'void.dropped',
  'void.noted',
  'gift.taken',
  'gift.posted',
];

const user = fc.constantFrom(...users);
/** Picks an existing object. */
const pick = fc.nat(1_000_000);

/** Random step. */
export const operations = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('grant'), user, amount: fc.integer({ min: -600, max: 4_000 }) }),
  },
  {
    weight: 22,
    arbitrary: fc.record({
      do: fc.constant('buy'),
      user,
      pick,
      quantity: fc.integer({ min: 1, max: 3 }),
      method: fc.constantFrom('credits', 'credits', 'manual'),
      coupon: fc.constantFrom('', '', 'RANDOM'),
      key: fc.nat(400),
    }),
  },
  { weight: 14, arbitrary: fc.record({ do: fc.constant('pay'), user, pick }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pay part'), user, pick }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('mark paid'), user, pick }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('gateway paid'),
      user,
      pick,
      payment: fc.nat(60),
      part: fc.constantFrom(1, 1, 2),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('redeem'), user, pick }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('top up'), user, amount: fc.integer({ min: 1, max: 2_000 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('dispute'),
      user,
      pick,
      serial: fc.nat(2),
      outcome: fc.constantFrom('open', 'open', 'won', 'lost'),
      part: fc.constantFrom(1, 1, 3),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('void'), user, pick }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('refund'),
      user,
      pick,
      share: fc.integer({ min: 1, max: 4 }),
      ends: fc.boolean(),
      key: fc.nat(400),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('cancel'), user, pick, now: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resume'), user, pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('change plan'),
      user,
      pick,
      target: fc.nat(2),
      method: fc.constantFrom('credits', 'manual'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('operate'),
      user,
      pick,
      action: fc.constantFrom('suspend', 'unsuspend', 'terminate'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('servers fail') }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('crash'), point: fc.constantFrom(...points) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), hours: fc.integer({ min: 1, max: 240 }) }) },
) as fc.Arbitrary<Operation>;

export type Operation =
  | { readonly do: 'grant' | 'top up'; readonly user: string; readonly amount: number }
  | {
      readonly do: 'dispute';
      readonly user: string;
      readonly pick: number;
      readonly serial: number;
      readonly outcome: InvoiceDispute['outcome'];
      readonly part: number;
    }
  | {
      readonly do: 'buy';
      readonly user: string;
      readonly pick: number;
      readonly quantity: number;
      readonly method: string;
      readonly coupon: string;
      readonly key: number;
    }
  | {
      readonly do: 'pay' | 'pay part' | 'mark paid' | 'void' | 'resume' | 'redeem';
      readonly user: string;
      readonly pick: number;
    }
  | {
      readonly do: 'gateway paid';
      readonly user: string;
      readonly pick: number;
      readonly payment: number;
      readonly part: number;
    }
  | {
      readonly do: 'refund';
      readonly user: string;
      readonly pick: number;
      readonly share: number;
      readonly ends: boolean;
      readonly key: number;
    }
  | { readonly do: 'cancel'; readonly user: string; readonly pick: number; readonly now: boolean }
  | {
      readonly do: 'change plan';
      readonly user: string;
      readonly pick: number;
      readonly target: number;
      readonly method: string;
    }
  | {
      readonly do: 'operate';
      readonly user: string;
      readonly pick: number;
      readonly action: 'suspend' | 'unsuspend' | 'terminate';
    }
  | { readonly do: 'servers fail' }
  | { readonly do: 'crash'; readonly point: string }
  | { readonly do: 'wait'; readonly hours: number };

/** Throws AppError on refusals. */
export async function runOperation(history: History, operation: Operation): Promise<void> {
  const { context, products, servers } = history;
  switch (operation.do) {
    case 'grant': {
      const { user: userId, amount: amountMinor } = operation;
      await grantCredits(context, { userId, amountMinor, currency: 'EUR', reason: 'test' }, randomUUID());
      return;
    }
    case 'buy':
      return buy(history, operation);
    case 'pay':
      return withInvoice(history, operation, async ({ id }) => void (await payFromCredits(context, id)));
    case 'pay part':
      return withInvoice(history, operation, async ({ id }) => void (await payFromCredits(context, id, true)));
    case 'mark paid':
      return withInvoice(history, operation, async (invoice) => void (await markInvoicePaid(context, invoice, '')));
    case 'gateway paid':
      return withInvoice(history, operation, async ({ id, totalMinor }) => {
        const amountMinor = Math.max(1, Math.floor(totalMinor / operation.part));
        const payment = { id: `pay:${id}:${operation.payment}`, method: 'pay', amountMinor, reference: 'x' };
        await recordPayment(context, id, { ...payment, at: context.clock() });
      });
    case 'top up': {
      const { user: userId, amount: amountMinor } = operation;
      const { invoice } = await buyCredits(context, {
        userId,
        amountMinor,
        currency: 'EUR',
        method: 'manual',
        returnUrl: '',
      });
      const payment = { id: `pay:${invoice.id}`, method: 'pay', amountMinor, reference: 'x', at: context.clock() };
      await recordPayment(context, invoice.id, payment);
      return;
    }
    case 'redeem':
      return redeem(history, operation);
    case 'dispute':
      return withInvoice(history, operation, async (invoice) => dispute(history, invoice, operation));
    case 'void':
      return withInvoice(history, operation, async ({ id }) => void (await voidInvoice(context, id)));
    case 'refund':
      return withInvoice(history, operation, async ({ id, totalMinor }) => {
        const amountMinor = operation.share === 1 ? null : Math.ceil(totalMinor / operation.share);
        const input = { amountMinor, destination: 'credits' as const, reason: '', cancelSubscriptions: operation.ends };
        await refundInvoice(context, id, input, keyOf(`${id}${operation.key}`));
      });
    case 'cancel':
      return withSubscription(
        history,
        operation,
        async (subscription) => void (await cancelSubscription(context, subscription, operation.now)),
      );
    case 'resume':
      return withSubscription(
        history,
        operation,
        async (subscription) => void (await resumeSubscription(context, subscription)),
      );
    case 'change plan':
      return withSubscription(history, operation, async (subscription) => {
        const productId = products[operation.target % 2]?.id ?? '';
        await changePlan(context, subscription, { productId, planId: '', paymentMethod: operation.method });
      });
    case 'operate':
      return withSubscription(history, operation, async (subscription) => {
        await updateSubscription(context, subscription, { price: null, nextDueAt: null, action: operation.action });
      });
    case 'servers fail':
      servers.failures.push(new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the servers service is down'));
      return;
    case 'crash':
      history.crash(operation.point);
      return;
    case 'wait':
      await history.advance(operation.hours * 3_600_000);
      return;
    default:
      assertNever(operation);
  }
}

async function buy({ context, products }: History, operation: Extract<Operation, { do: 'buy' }>): Promise<void> {
  const product = products[operation.pick % products.length];
  const item = {
    productId: product?.id ?? '',
    planId: '',
    quantity: operation.quantity,
    config: { serverName: '', environment: {} },
  };
  const { user: userId, method: paymentMethod, coupon: couponCode } = operation;
  const input = { userId, paymentMethod, items: [item], couponCode, returnUrl: '', savePaymentMethod: false };
  // Keys repeat: a repeated request must find its order after any crash.
  await checkout(
    context,
    input,
    keyOf(`${userId}${operation.pick % products.length}${operation.quantity}${operation.key}`),
  );
}

/** Of a few codes with few uses. */
async function redeem({ context }: History, { user: userId, pick: index }: { user: string; pick: number }) {
  const code = `HISTORY-${index % 60}-CODE`;
  const terms = { code, count: 1, amountMinor: 300 + (index % 60), currency: '', uses: 1 + (index % 3), note: '' };
  await createGiftCodes(
    context,
    { ...terms, expiresAt: null },
    { idempotencyId: keyOf(code), idempotencySeed: undefined },
  );
  await redeemGiftCode(context, { userId, code });
}

async function dispute(
  { context }: History,
  { id: invoiceId, payments, currency }: InvoiceRecord,
  { serial, outcome, part }: Extract<Operation, { do: 'dispute' }>,
): Promise<void> {
  const payment = payments.find(({ method }) => method === 'pay');
  if (!payment) return;
  await receiveEvents(context, 'pay', [
    {
      type: 'disputed',
      eventId: randomUUID(),
      gatewayReference: payment.reference,
      sessionReference: '',
      invoiceId,
      disputeReference: `dispute ${serial}`,
      outcome,
      amount: { amountMinor: Math.max(1, Math.floor(payment.amountMinor / part)), currency },
      occurredAt: context.clock(),
    },
  ]);
}

function keyOf(text: string): string {
  let hash = 0n;
  for (const char of text) hash = (hash * 131n + BigInt(char.codePointAt(0) ?? 0)) & ((1n << 96n) - 1n);
  const hex = hash.toString(16).padStart(24, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18)}000000`;
}

/** One of the newest. */
const newest = (index: number) => ({
  page: 1,
  perPage: 1,
  skip: index % 30,
  sort: { createdAt: -1, _id: 1 } as const,
  search: '',
});

async function withInvoice(
  { context }: History,
  { user: userId, pick: index }: { readonly user: string; readonly pick: number },
  work: (invoice: Awaited<ReturnType<BillingContext['invoices']['list']>>['invoices'][number]) => Promise<void>,
): Promise<void> {
  const {
    invoices: [invoice],
  } = await context.invoices.list({ userId }, newest(index));
  if (invoice) await work(invoice);
}

async function withSubscription(
  { context }: History,
  { user: userId, pick: index }: { readonly user: string; readonly pick: number },
  work: (
    subscription: Awaited<ReturnType<BillingContext['subscriptions']['list']>>['subscriptions'][number],
  ) => Promise<void>,
): Promise<void> {
  const {
    subscriptions: [subscription],
  } = await context.subscriptions.list({ userId }, newest(index));
  if (subscription) await work(subscription);
}
