import { randomUUID } from 'node:crypto';
import {
  containsText,
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import { date, optional, orNull, part, text } from '@panel/kit/records';
import { createEmbeddedOutboxStore, defineEmbeddedOutbox, type OutboxStore } from '@panel/outbox';
import {
  endedStatuses,
  serverSyncFields,
  type Subscription,
  type SubscriptionRecord,
  subscriptionRecordFields,
  type SubscriptionStatus,
  type SuspendReason,
  type Unit,
} from '../domain/subscription.js';
import type { MailEntry, MailPayload } from '../domain/mail.js';
import { maxQueryMs, until } from './fields.js';
import { ignoreDuplicates } from './write-result.js';

const outbox = defineEmbeddedOutbox<MailPayload>('outbox');

/** Sharding: by _id (hashed). */
const subscriptionSchema = documentSchema({
  ...subscriptionRecordFields,
  sync: part({ ...serverSyncFields, leaseUntil: orNull(date), leaseId: optional(orNull(text)) }),
  renewLeaseUntil: orNull(date),
  renewLeaseId: orNull(text),
  outbox: outbox.schemaType,
});
type SubscriptionDocument = DocumentOf<typeof subscriptionSchema>;
subscriptionSchema.index({ userId: 1, createdAt: 1, _id: 1 }, { name: 'subscription_user' });
subscriptionSchema.index({ status: 1, createdAt: 1, _id: 1 }, { name: 'subscription_status' });
subscriptionSchema.index({ createdAt: 1, _id: 1 }, { name: 'subscription_created' });
subscriptionSchema.index({ nextDueAt: 1, _id: 1 }, { name: 'subscription_due' });
subscriptionSchema.index({ orderId: 1 }, { name: 'subscription_order' });
subscriptionSchema.index({ productId: 1, status: 1 }, { name: 'subscription_product' });
subscriptionSchema.index(
  { serverId: 1 },
  { name: 'subscription_server', unique: true, partialFilterExpression: { serverId: { $gt: '' } } },
);
subscriptionSchema.index(
  { 'sync.dueAt': 1 },
  { name: 'subscription_sync', partialFilterExpression: { 'sync.dueAt': { $type: 'date' } } },
);
subscriptionSchema.index(
  { renewAt: 1 },
  { name: 'subscription_renew', partialFilterExpression: { renewAt: { $type: 'date' } } },
);
subscriptionSchema.index(
  { 'unitsDue.id': 1 },
  { name: 'subscription_units_due', partialFilterExpression: { 'unitsDue.id': { $type: 'string' } } },
);
subscriptionSchema.index({ 'unit.id': 1 }, { name: 'subscription_unit' });
subscriptionSchema.index(
  { 'change.unitId': 1 },
  { name: 'subscription_change_unit', partialFilterExpression: { 'change.unitId': { $type: 'string' } } },
);
subscriptionSchema.index(
  { meterAt: 1 },
  { name: 'subscription_meter', partialFilterExpression: { meterAt: { $type: 'date' } } },
);
subscriptionSchema.index(
  { 'change.requestedAt': 1 },
  { name: 'subscription_change', partialFilterExpression: { 'change.requestedAt': { $type: 'date' } } },
);
subscriptionSchema.index(
  { 'creditDue.id': 1 },
  { name: 'subscription_credit_due', partialFilterExpression: { 'creditDue.id': { $type: 'string' } } },
);
subscriptionSchema.index(
  { suspendReasons: 1, _id: 1 },
  { name: 'subscription_debt', partialFilterExpression: { suspendReasons: 'debt' } },
);
outbox.addIndexes(subscriptionSchema, 'subscription_outbox');

/** Precondition of a change. */
interface SubscriptionCondition {
  readonly status?: readonly SubscriptionStatus[];
  readonly syncVersion?: number;
  readonly nextDueAt?: Date | null;
  readonly renewAt?: Date | null;
  readonly changeInvoiceId?: string | null;
  readonly cancelAtPeriodEnd?: boolean;
  readonly suspendReasons?: Subscription['suspendReasons'];
  /** Of repairs of its installation; null: none. */
  readonly installAttempts?: number | null;
  readonly creditDueId?: string;
  readonly unitId?: string;
  readonly meteredUntil?: Date | null;
}

type Changeable =
  | 'installRepair'
  | 'status'
  | 'suspendReasons'
  | 'isInvoicedOn'
  | 'plan'
  | 'server'
  | 'productId'
  | 'productName'
  | 'discount'
  | 'nextDueAt'
  | 'anchorAt'
  | 'periods'
  | 'renewAt'
  | 'renewalSerial'
  | 'cancelAtPeriodEnd'
  | 'change'
  | 'limitsDue'
  | 'unit'
  | 'creditDue'
  | 'paid'
  | 'priceChange'
  | 'appliedChanges'
  | 'meterAt'
  | 'meteredUntil'
  | 'suspendedAt'
  | 'endedAt';

interface SubscriptionChange {
  readonly set: Partial<Pick<SubscriptionRecord, Changeable>>;
  /** The server follows from then. */
  readonly syncAt?: Date;
  readonly mail?: MailEntry;
  readonly returnUnits?: readonly Unit[];
}

interface ConditionalChange {
  readonly id: string;
  readonly condition: SubscriptionCondition;
  readonly change: SubscriptionChange;
}

interface SubscriptionFilter {
  readonly userId?: string;
  readonly status?: SubscriptionStatus;
}

export interface SubscriptionStore {
  /** Skips existing ones. */
  insertAbsent(subscriptions: readonly SubscriptionRecord[]): Promise<void>;
  get(id: string): Promise<SubscriptionRecord | null>;
  getMany(ids: readonly string[]): Promise<SubscriptionRecord[]>;
  ofOrder(orderId: string): Promise<SubscriptionRecord[]>;
  list(filter: SubscriptionFilter, page: PageQuery): Promise<{ subscriptions: SubscriptionRecord[]; total: number }>;
  /** Paid for and not ended. */
  countActive(userId: string): Promise<number>;
  /** True: a subscription of the product has not ended. */
  isProductInUse(productId: string): Promise<boolean>;
  /** Null: the condition failed. */
  changeIf(
    id: string,
    condition: SubscriptionCondition,
    change: SubscriptionChange,
  ): Promise<SubscriptionRecord | null>;
  /** Skips failing conditions. */
  changeMany(changes: readonly ConditionalChange[]): Promise<void>;
  claimSync(now: Date, leaseUntil: Date, leaseId: string): Promise<SubscriptionRecord | null>;
  /** False: the lease is lost. */
  renewSync(id: string, leaseId: string, leaseUntil: Date): Promise<boolean>;
  setServer(id: string, serverId: string): Promise<void>;
  /** Marks the server as synchronized with `version`, and ends the lease. No-op after its loss, as `failSync`. */
  endSync(id: string, leaseId: string, version: number, isLimitsDone: boolean): Promise<void>;
  failSync(id: string, leaseId: string, nextAt: Date, error: string): Promise<void>;
  /** Leaves it to an operator. False: no longer provisioned. */
  giveUpSync(id: string, error: string): Promise<boolean>;
  retrySync(id: string, now: Date): Promise<void>;
  /** Leased. Empty: none due. */
  claimRenewals(now: Date, leaseUntil: Date, limit: number): Promise<SubscriptionRecord[]>;
  dueReturns(limit: number): Promise<SubscriptionRecord[]>;
  endReturn(id: string, unitId: string): Promise<void>;
  /** Of a subscription, or of its change or its returns. */
  isUnitKnown(unitId: string): Promise<boolean>;
  /** With unposted credits. */
  dueCredits(limit: number): Promise<SubscriptionRecord[]>;
  waitingChanges(before: Date, limit: number): Promise<SubscriptionRecord[]>;
  /** Leased until `nextAt`. */
  claimMetering(now: Date, nextAt: Date): Promise<SubscriptionRecord | null>;
  /** Those that wait for credits. */
  wakeMetering(userId: string, now: Date): Promise<void>;
  /** In id order; `userId`: of one customer. */
  suspendedFor(reason: SuspendReason, userId?: string): AsyncIterable<SubscriptionRecord>;
  /** Pages in id order. */
  pageAfter(id: string, limit: number): Promise<SubscriptionRecord[]>;
  readonly outbox: OutboxStore<MailPayload>;
}

export function createSubscriptionStore(connection: MongoConnection): SubscriptionStore {
  const model = defineModel(connection, 'Subscription', subscriptionSchema, 'subscriptions');
  const many = async (filter: Record<string, unknown>, limit: number) =>
    convertEach(await model.find(filter).limit(limit).maxTimeMS(maxQueryMs).lean(), subscriptionOf);
  const update = async (filter: Record<string, unknown>, change: Record<string, unknown>) => {
    const document = await model
      .findOneAndUpdate(filter, change, { returnDocument: 'after' })
      .maxTimeMS(maxQueryMs)
      .lean();
    // A damaged document has only its id.
    return convertEach(document ? [document] : [], subscriptionOf)[0] ?? null;
  };
  return {
    outbox: createEmbeddedOutboxStore(connection, 'subscriptions', outbox),
    insertAbsent: async (subscriptions) => {
      const documents = subscriptions.map(({ id: subscriptionId, sync, ...fields }) => ({
        ...fields,
        _id: subscriptionId,
        sync: { ...sync, leaseUntil: null, leaseId: null },
        renewLeaseUntil: null,
        renewLeaseId: null,
        outbox: outbox.initial([]),
      }));
      await ignoreDuplicates(model.insertMany(documents, { ordered: false }));
    },
    get: async (subscriptionId) => {
      const document = await model.findById(subscriptionId).maxTimeMS(maxQueryMs).lean();
      return document && subscriptionOf(document);
    },
    getMany: async (ids) => many({ _id: { $in: [...ids] } }, ids.length || 1),
    ofOrder: async (orderId) => many({ orderId }, 1_000),
    list: async ({ userId, status }, page) => {
      const filter = {
        ...(userId === undefined ? {} : { userId }),
        ...(status === undefined ? {} : { status }),
        ...(page.search === '' ? {} : { productName: containsText(page.search) }),
      };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { subscriptions: convertEach(documents, subscriptionOf), total };
    },
    countActive: async (userId) =>
      model.countDocuments({ userId, status: { $nin: [...endedStatuses, 'pending'] } }).maxTimeMS(maxQueryMs),
    isProductInUse: async (productId) =>
      (await model.exists({ productId, status: { $nin: endedStatuses } }).maxTimeMS(maxQueryMs)) !== null,
    changeIf: async (subscriptionId, condition, change) =>
      update(filterOf(subscriptionId, condition), updateOf(change)),
    changeMany: async (changes) => {
      const writes = changes.map(({ id: subscriptionId, condition, change }) => ({
        updateOne: { filter: filterOf(subscriptionId, condition), update: updateOf(change) },
      }));
      if (writes.length > 0) await model.bulkWrite(writes, { ordered: false });
    },
    claimSync: async (now, leaseUntil, leaseId) =>
      update(
        {
          'sync.dueAt': until(now),
          $or: [{ 'sync.leaseUntil': null }, { 'sync.leaseUntil': { $lte: now } }],
        },
        { $set: { 'sync.leaseUntil': leaseUntil, 'sync.leaseId': leaseId }, $inc: { 'sync.attempts': 1 } },
      ),
    renewSync: async (subscriptionId, leaseId, leaseUntil) => {
      const { matchedCount } = await model
        .updateOne({ _id: subscriptionId, 'sync.leaseId': leaseId }, { $set: { 'sync.leaseUntil': leaseUntil } })
        .maxTimeMS(maxQueryMs);
      return matchedCount === 1;
    },
    setServer: async (subscriptionId, serverId) => {
      await model.updateOne({ _id: subscriptionId }, { $set: { serverId } }).maxTimeMS(maxQueryMs);
    },
    endSync: async (subscriptionId, leaseId, version, isLimitsDone) => {
      await model
        .updateOne(
          { _id: subscriptionId, 'sync.leaseId': leaseId, 'sync.version': version },
          {
            $set: {
              'sync.dueAt': null,
              'sync.attempts': 0,
              'sync.lastError': '',
              ...(isLimitsDone ? { limitsDue: false } : {}),
            },
          },
        )
        .maxTimeMS(maxQueryMs);
      const ended = { 'sync.leaseUntil': null, 'sync.leaseId': null };
      await model.updateOne({ _id: subscriptionId, 'sync.leaseId': leaseId }, { $set: ended }).maxTimeMS(maxQueryMs);
    },
    failSync: async (subscriptionId, leaseId, nextAt, error) => {
      await model
        .updateOne(
          { _id: subscriptionId, 'sync.leaseId': leaseId, 'sync.dueAt': { $ne: null } },
          {
            $set: {
              'sync.dueAt': nextAt,
              'sync.leaseUntil': null,
              'sync.leaseId': null,
              'sync.lastError': error,
            },
          },
        )
        .maxTimeMS(maxQueryMs);
    },
    giveUpSync: async (subscriptionId, error) => {
      const ended = { 'sync.dueAt': null, 'sync.leaseUntil': null, 'sync.leaseId': null };
      const given = { status: 'failed', ...ended, 'sync.lastError': error };
      const { matchedCount } = await model
        .updateOne({ _id: subscriptionId, status: 'provisioning' }, { $set: given })
        .maxTimeMS(maxQueryMs);
      return matchedCount === 1;
    },
    retrySync: async (subscriptionId, now) => {
      await model.updateOne({ _id: subscriptionId }, { $set: { 'sync.dueAt': now } }).maxTimeMS(maxQueryMs);
    },
    claimRenewals: async (now, leaseUntil, limit) => {
      const isDue = { renewAt: until(now), $or: [{ renewLeaseUntil: null }, { renewLeaseUntil: { $lte: now } }] };
      for (;;) {
        const found = await model.find(isDue, { _id: 1 }).limit(limit).maxTimeMS(maxQueryMs).lean();
        if (found.length === 0) return [];
        const renewLeaseId = randomUUID();
        const ids = { $in: found.map(({ _id }) => _id) };
        const { matchedCount } = await model
          .updateMany({ _id: ids, ...isDue }, { $set: { renewLeaseUntil: leaseUntil, renewLeaseId } })
          .maxTimeMS(maxQueryMs);
        // Another replica took these; the next ones are free.
        if (matchedCount > 0) return many({ _id: ids, renewLeaseId }, limit);
      }
    },
    dueReturns: async (limit) => many({ 'unitsDue.id': { $type: 'string' } }, limit),
    endReturn: async (subscriptionId, unitId) => {
      await model.updateOne({ _id: subscriptionId }, { $pull: { unitsDue: { id: unitId } } }).maxTimeMS(maxQueryMs);
    },
    isUnitKnown: async (unitId) => {
      const known = [{ 'unit.id': unitId }, { 'unitsDue.id': unitId }, { 'change.unitId': unitId }];
      return (await model.exists({ $or: known }).maxTimeMS(maxQueryMs)) !== null;
    },
    dueCredits: async (limit) => many({ 'creditDue.id': { $type: 'string' } }, limit),
    waitingChanges: async (before, limit) => many({ 'change.requestedAt': until(before) }, limit),
    claimMetering: async (now, nextAt) => update({ meterAt: until(now) }, { $set: { meterAt: nextAt } }),
    wakeMetering: async (userId, now) => {
      await model
        .updateMany({ userId, status: 'suspended', suspendReasons: 'balance' }, { $min: { meterAt: now } })
        .maxTimeMS(maxQueryMs);
    },
    suspendedFor: async function* (reason, userId) {
      const rows = model.find({ suspendReasons: reason, ...(userId === undefined ? {} : { userId }) });
      for await (const row of rows.sort({ _id: 1 }).lean().cursor()) yield* convertEach([row], subscriptionOf);
    },
    pageAfter: async (subscriptionId, limit) => {
      const page = model.find({ _id: { $gt: subscriptionId } }).sort({ _id: 1 });
      return convertEach(await page.limit(limit).maxTimeMS(maxQueryMs).lean(), subscriptionOf);
    },
  };
}

function filterOf(subscriptionId: string, condition: SubscriptionCondition) {
  return {
    _id: subscriptionId,
    ...(condition.status ? { status: { $in: [...condition.status] } } : {}),
    ...(condition.syncVersion === undefined ? {} : { 'sync.version': condition.syncVersion }),
    ...(condition.nextDueAt === undefined ? {} : { nextDueAt: condition.nextDueAt }),
    ...(condition.renewAt === undefined ? {} : { renewAt: condition.renewAt }),
    ...(condition.cancelAtPeriodEnd === undefined ? {} : { cancelAtPeriodEnd: condition.cancelAtPeriodEnd }),
    ...(condition.suspendReasons === undefined ? {} : { suspendReasons: [...condition.suspendReasons] }),
    ...(condition.installAttempts === undefined ? {} : { 'installRepair.attempts': condition.installAttempts }),
    ...(condition.creditDueId === undefined ? {} : { 'creditDue.id': condition.creditDueId }),
    ...(condition.unitId === undefined ? {} : { 'unit.id': condition.unitId }),
    ...(condition.meteredUntil === undefined ? {} : { meteredUntil: condition.meteredUntil }),
    ...(condition.changeInvoiceId === undefined
      ? {}
      : condition.changeInvoiceId === null
        ? { change: null }
        : { 'change.invoiceId': condition.changeInvoiceId }),
  };
}

function updateOf({ set, syncAt, mail, returnUnits = [] }: SubscriptionChange) {
  const appended = mail && outbox.append(mail);
  return {
    $set: {
      ...set,
      ...(set.renewAt === undefined ? {} : { renewLeaseUntil: null }),
      ...(syncAt ? { 'sync.dueAt': syncAt, 'sync.attempts': 0 } : {}),
      ...appended?.$set,
    },
    ...(syncAt ? { $inc: { 'sync.version': 1 } } : {}),
    ...(appended || returnUnits.length > 0
      ? { $push: { ...appended?.$push, ...(returnUnits.length > 0 ? { unitsDue: { $each: returnUnits } } : {}) } }
      : {}),
  };
}

function subscriptionOf(document: SubscriptionDocument): SubscriptionRecord {
  const { _id, outbox: _outbox, renewLeaseUntil: _lease, renewLeaseId: _leaseId, sync, ...fields } = document;
  const { leaseUntil: _leaseUntil, leaseId: _syncLeaseId, ...rest } = sync;
  return { ...fields, id: _id, sync: rest };
}
