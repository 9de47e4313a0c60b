import type { MongoConnection } from '@panel/kit/mongo';
import { derivedId } from '@panel/rpc';
import { isEnded, type SubscriptionRecord, unitsOfChange } from '../src/domain/subscription.js';
import type { CreditLot } from '../src/domain/credit.js';
import type { OrderRecord } from '../src/domain/order.js';
import type { InvoiceRecord } from '../src/domain/invoice.js';
import { endOfPeriod, isRecurring } from '../src/domain/calendar.js';
import type { BillingContext } from '../src/context.js';
import { counterKey } from '../src/domain/new-order.js';
import { orderIds } from '../src/domain/order-ids.js';
import type { FakeServer } from './fakes.js';
import { giftProblems } from './gift-invariants.js';
import { journalProblems } from './journal-invariants.js';

export interface LedgerRow {
  readonly _id: string;
  readonly accountId: string;
  readonly lots?: readonly CreditLot[];
  readonly amountMinor: number;
  readonly reason: string;
  readonly reference: string;
}

type Stored<T> = Omit<T, 'id'> & { readonly _id: string };

/** All stored data, at rest. */
interface Books {
  readonly orders: readonly Stored<OrderRecord>[];
  readonly invoices: readonly Stored<InvoiceRecord>[];
  readonly subscriptions: readonly Stored<SubscriptionRecord>[];
  readonly ledger: ReadonlyMap<string, LedgerRow>;
  readonly servers: readonly FakeServer[];
}

/**
 * Invariants at rest: the ledger sums to the balances; orders, invoices, payments, subscriptions and servers match;
 * numbers have no gaps. One sentence per violation.
 */
export async function findBrokenInvariants(
  { credits, settings }: BillingContext,
  mongo: MongoConnection,
  servers: readonly FakeServer[],
): Promise<string[]> {
  for (;;) {
    const accounts = await credits.pendingAccounts(1_000);
    if (accounts.length === 0) break;
    for (const accountId of accounts) await credits.drain(accountId);
  }
  const read = async <T extends { readonly _id: string }>(name: string) =>
    mongo.collection<T>(name).find().toArray() as Promise<unknown> as Promise<T[]>;
  const rows = await read<LedgerRow>('credit_ledger');
  const books: Books = {
    orders: await read<Stored<OrderRecord>>('orders'),
    invoices: await read<Stored<InvoiceRecord>>('invoices'),
    subscriptions: await read<Stored<SubscriptionRecord>>('subscriptions'),
    ledger: new Map(rows.map((row) => [row._id, row])),
    servers,
  };
  const { timezone } = await settings.read();
  const mismatches = await credits.findMismatches();
  return [
    ...mismatches.map((mismatch) => `the ledger does not sum to the balance: ${JSON.stringify(mismatch)}`),
    ...orderProblems(books),
    ...invoiceProblems(books),
    ...paymentProblems(books),
    ...creditProblems(books),
    ...(await giftProblems(books.ledger, mongo)),
    ...(await lotProblems(books, mongo)),
    ...(await journalProblems(books.invoices, mongo)),
    ...numberProblems(books),
    ...subscriptionProblems(books, timezone),
    ...serverProblems(books),
    ...(await counterProblems(books, mongo)),
    ...(await usageProblems(books, mongo)),
  ];
}

function orderProblems({ orders, invoices, subscriptions, ledger }: Books): string[] {
  const invoiceIds = new Map(invoices.map((invoice) => [invoice._id, invoice]));
  return orders.flatMap((order) => {
    const { _id: id, status } = order;
    const invoice = invoiceIds.get(orderIds.invoice(id));
    const bought = subscriptions.filter(({ orderId }) => orderId === id);
    const units = order.items.reduce((sum, { quantity }) => sum + quantity, 0);
    const debit = ledger.get(orderIds.debit(id))?.amountMinor ?? 0;
    const reversals = [...ledger.values()].filter(({ reason, reference }) => reason === 'reversal' && reference === id);
    const charged = debit + reversals.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    if (status === 'placing') return [`order ${id} is not decided`];
    if (status === 'failed') {
      return [
        ...(charged === 0 ? [] : [`failed order ${id} has charged ${charged}`]),
        ...(invoice || bought.length > 0 ? [`failed order ${id} has an invoice or services`] : []),
      ];
    }
    const isCharged =
      status !== 'pending' && order.paymentMethod === 'credits' && invoice?.payments[0]?.id === orderIds.debit(id);
    return [
      ...(invoice?.totalMinor === order.totalMinor ? [] : [`order ${id} has no invoice of its total`]),
      ...(bought.length === units ? [] : [`order ${id} has ${bought.length} services for ${units} units`]),
      ...(!isCharged || charged === -order.totalMinor
        ? []
        : [`order ${id} over ${order.totalMinor} charged ${charged}`]),
    ];
  });
}

function invoiceProblems({ invoices }: Books): string[] {
  const notes = invoices.filter(({ kind }) => kind === 'credit_note');
  const cancelled = new Set(notes.filter(({ status }) => status === 'void').map((note) => note.correctsInvoiceId));
  return invoices
    .filter(({ kind }) => kind === 'invoice')
    .flatMap((invoice) => {
      const { _id: id, status, totalMinor } = invoice;
      const paid = invoice.payments.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
      const refunds = invoice.refunds.filter(({ state }) => state !== 'failed');
      const refunded = refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
      const noted = notes
        .filter((note) => note.correctsInvoiceId === id && note.status !== 'void')
        .reduce((sum, note) => sum - note.totalMinor, 0);
      const isPaid = status === 'paid' || status === 'refunded';
      const lines = invoice.items.reduce((sum, item) => sum + item.totalMinor, 0);
      return [
        ...(isPaid && paid < totalMinor ? [`invoice ${id} is ${status} with ${paid} of ${totalMinor}`] : []),
        ...(!isPaid && status !== 'void' && paid >= totalMinor && totalMinor > 0
          ? [`invoice ${id} is ${status} but paid`]
          : []),
        ...(new Set(invoice.payments.map((payment) => payment.id)).size === invoice.payments.length
          ? []
          : [`invoice ${id} books a payment twice`]),
        ...(refunded === invoice.refundedMinor && refunded <= totalMinor
          ? []
          : [`invoice ${id} says ${invoice.refundedMinor} refunded, not ${refunded}`]),
        ...(refunded === noted ? [] : [`invoice ${id} has credit notes of ${noted} for refunds of ${refunded}`]),
        ...((status === 'refunded') === (refunded === totalMinor && refunded > 0)
          ? []
          : [`invoice ${id} is ${status} with ${refunded} refunded`]),
        ...(lines === totalMinor ? [] : [`the lines of invoice ${id} do not sum to its total`]),
        ...((status === 'void') === cancelled.has(id) ? [] : [`${status} invoice ${id} has no document for it`]),
        ...(invoice.intent || invoice.effectsDueAt ? [`invoice ${id} has open work`] : []),
      ];
    });
}

/** Payments from credits and ledger rows match one to one. */
function paymentProblems({ invoices, orders, ledger }: Books): string[] {
  // Usage is paid hourly before its invoice.
  const isUsage = ({ items }: Books['invoices'][number]) => items.some(({ purpose }) => purpose === 'usage');
  const payments = invoices
    .filter((invoice) => !isUsage(invoice))
    .flatMap(({ payments: of }) => of.filter(({ method }) => method === 'credits'));
  const booked = new Set(payments.map(({ reference }) => reference));
  const undone = new Set(orders.filter(({ status }) => status === 'failed').map(({ _id }) => orderIds.debit(_id)));
  const missing = payments.filter(({ reference, amountMinor }) => ledger.get(reference)?.amountMinor !== -amountMinor);
  const spent = [...ledger.values()].filter(({ reason }) => reason === 'payment');
  const lost = spent.filter(({ _id }) => !booked.has(_id) && !undone.has(_id));
  return [
    ...missing.map(({ reference }) => `payment ${reference} from credits is not in the ledger`),
    ...lost.map(({ _id, amountMinor }) => `ledger row ${_id} of ${amountMinor} has paid nothing`),
  ];
}

/** Credits come from grants of staff and from payments alone: what is given back is a refund of a paid invoice. */
function creditProblems({ invoices, ledger }: Books): string[] {
  const refunds = new Map(
    invoices.flatMap((invoice) =>
      invoice.refunds
        .filter(({ state }) => state === 'done')
        .map((refund) => [derivedId(refund.id, 'credits'), refund.amountMinor] as const),
    ),
  );
  const bought = new Map(
    invoices
      .filter(({ status }) => status === 'paid' || status === 'refunded')
      .flatMap(({ _id, items }) =>
        items.filter(({ purpose }) => purpose === 'credits').map((item) => [_id, item] as const),
      ),
  );
  return [...ledger.values()].flatMap(({ _id: id, reason, reference, amountMinor }) => {
    const isFounded =
      reason === 'refund'
        ? amountMinor > 0 && amountMinor <= (refunds.get(id) ?? 0)
        : reason !== 'purchase' || bought.get(reference)?.netMinor === amountMinor;
    return isFounded ? [] : [`ledger row ${id} (${reason}) of ${amountMinor} follows no payment`];
  });
}

/** What entries moved into the lots and out of them is there. */
async function lotProblems({ ledger }: Books, mongo: MongoConnection): Promise<string[]> {
  const accounts = await mongo.collection<{ _id: string; lots: CreditLot[] }>('credit_accounts').find().toArray();
  const moved = new Map<string, number>();
  for (const { accountId, amountMinor, lots = [] } of ledger.values())
    for (const lot of lots) {
      const key = `${accountId} ${lot.id}`;
      moved.set(key, (moved.get(key) ?? 0) + Math.sign(amountMinor) * lot.amountMinor);
    }
  for (const { _id, lots } of accounts)
    for (const lot of lots) moved.set(`${_id} ${lot.id}`, (moved.get(`${_id} ${lot.id}`) ?? 0) - lot.amountMinor);
  return [...moved]
    .filter(([, rest]) => rest !== 0)
    .map(([key, rest]) => `lot ${key} differs by ${rest} from its entries`);
}

function numberProblems({ invoices }: Books): string[] {
  return (['invoice', 'credit_note'] as const).flatMap((wanted) => {
    const numbers = invoices.filter(({ kind }) => kind === wanted).map(({ sequence }) => sequence ?? 0);
    const sorted = numbers.toSorted((a, b) => a - b);
    return sorted.every((number, index) => number === index + 1)
      ? []
      : [`numbers of ${wanted}s have gaps: ${sorted.join()}`];
  });
}

function subscriptionProblems({ subscriptions, orders, invoices }: Books, timezone: string): string[] {
  const orderOf = new Map(orders.map((order) => [order._id, order]));
  return subscriptions.flatMap((subscription) => {
    const { _id: id, status, plan, anchorAt, nextDueAt, periods } = subscription;
    const order = orderOf.get(subscription.orderId);
    const isStarted = status !== 'pending' && anchorAt !== null;
    const isPaid = order?.status === 'paid' || order?.status === 'completed';
    const renewals = invoices.filter(
      (invoice) =>
        (invoice.status === 'paid' || invoice.status === 'refunded') &&
        invoice.items.some((item) => item.purpose === 'renewal' && item.subscriptionId === id),
    );
    const { interval, intervalCount } = plan;
    const due =
      isRecurring(interval) && anchorAt ? endOfPeriod(anchorAt, { interval, intervalCount }, periods, timezone) : null;
    // An operator has set the date: periods count from it, and the first renewal begins there.
    const isMoved =
      periods === 0 ||
      renewals.some(({ items }) => items.some(({ periodStart }) => periodStart?.getTime() === anchorAt?.getTime()));
    const isCounted = isMoved || isEnded(status) ? renewals.length >= periods - 1 : renewals.length === periods - 1;
    return [
      ...(isStarted && !isPaid ? [`service ${id} is ${status}, its order is ${order?.status}`] : []),
      ...(!isStarted && isPaid && status === 'pending' ? [`service ${id} of a paid order has not started`] : []),
      ...(!isStarted || isCounted ? [] : [`service ${id} has ${periods} periods for ${renewals.length} paid renewals`]),
      ...(!isStarted || due?.getTime() === nextDueAt?.getTime()
        ? []
        : [`service ${id} is due at ${nextDueAt?.toISOString()}`]),
      ...(subscription.sync.dueAt ? [`service ${id} waits for its server: ${subscription.sync.lastError}`] : []),
      ...(subscription.unitsDue?.length ? [`service ${id} has not given its unit back`] : []),
    ];
  });
}

function serverProblems({ subscriptions, servers }: Books): string[] {
  const known = new Set(subscriptions.map(({ _id }) => _id));
  const strangers = servers.filter(({ request }) => !known.has(request.externalId));
  return [
    ...strangers.map(({ id }) => `server ${id} belongs to no service`),
    ...subscriptions.flatMap(({ _id: id, status }) => {
      const own = servers.filter(({ request }) => request.externalId === id);
      const wanted = status === 'active' || status === 'suspended' ? 1 : 0;
      if (own.length !== wanted) return [`${status} service ${id} has ${own.length} servers`];
      const isSuspended = own[0]?.suspended ?? false;
      return isSuspended === (status === 'suspended')
        ? []
        : [`the server of ${status} service ${id} is suspended: ${isSuspended}`];
    }),
  ];
}

/** Counted and actual holdings of products and coupon uses match. */
async function counterProblems({ subscriptions, orders }: Books, mongo: MongoConnection): Promise<string[]> {
  const counters = await mongo.collection<{ _id: string; used: number; holds: unknown[] }>('counters').find().toArray();
  const held = counters.filter(({ holds }) => holds.length > 0);
  const actual = new Map<string, number>();
  const count = (key: string) => actual.set(key, (actual.get(key) ?? 0) + 1);
  for (const subscription of subscriptions)
    if (!isEnded(subscription.status))
      for (const { productId } of [subscription.unit, ...unitsOfChange(subscription.change)])
        count(counterKey.product(productId, subscription.userId));
  for (const { couponId, userId, status } of orders) {
    if (couponId !== '' && status !== 'failed' && status !== 'cancelled') count(counterKey.coupon(couponId, userId));
  }
  const wrong = counters.filter(({ _id, used }) => used !== (actual.get(_id) ?? 0));
  return [
    ...held.map(({ _id }) => `counter ${_id} has open holds`),
    ...wrong.map(({ _id, used }) => `counter ${_id} says ${used}, there are ${actual.get(_id) ?? 0}`),
  ];
}

interface StoredCharge {
  readonly subscriptionId: string;
  readonly amountMinor: number;
  readonly openMinor: number;
  readonly invoiceId: string;
}

/** Charged usage is in the ledger, and on an invoice after its month. */
async function usageProblems({ invoices, subscriptions, ledger }: Books, mongo: MongoConnection): Promise<string[]> {
  const charges = await mongo.collection<StoredCharge>('usage_charges').find().toArray();
  return subscriptions.flatMap(({ _id: id }) => {
    const own = charges.filter(({ subscriptionId }) => subscriptionId === id);
    const paid = own.reduce((sum, { amountMinor, openMinor }) => sum + amountMinor - openMinor, 0);
    const rows = [...ledger.values()].filter(({ reason, reference }) => reason === 'usage' && reference === id);
    const debited = rows.reduce((sum, { amountMinor }) => sum - amountMinor, 0);
    const invoiced = own.filter(({ invoiceId }) => invoiceId !== '');
    const wanted = invoiced.reduce((sum, { amountMinor, openMinor }) => sum + amountMinor - openMinor, 0);
    const ids = new Set(invoiced.map(({ invoiceId }) => invoiceId));
    const total = invoices.filter(({ _id }) => ids.has(_id)).reduce((sum, { totalMinor }) => sum + totalMinor, 0);
    return [
      ...(paid === debited ? [] : [`usage of ${paid} of service ${id} has debited ${debited}`]),
      ...(wanted === total ? [] : [`usage of ${wanted} of service ${id} is invoiced as ${total}`]),
    ];
  });
}
