import { randomUUID } from 'node:crypto';
import {
  containsText,
  convertEach,
  defineModel,
  type MongoConnection,
  type PageQuery,
  schemaOptions,
} from '@panel/kit/mongo';
import { createEmbeddedOutboxStore, defineEmbeddedOutbox, type EmbeddedOutbox, type OutboxStore } from '@panel/outbox';
import { Schema } from 'mongoose';
import type { MailEntry, MailPayload } from '../domain/mail.js';
import { type CreditDue, endedStatuses, type Service, type ServiceStatus, serviceStatuses } from '../domain/service.js';
import {
  configSchema,
  count,
  discountSchema,
  embedded,
  id,
  maxQueryMs,
  planSchema,
  required,
  serverSchema,
  text,
  until,
} from './fields.js';
import { insertedOnce } from './write-result.js';

/** A service with the state of the work on it. */
export interface ServiceRecord extends Service {
  /** Counts renewal invoices that were void, so that the next one of the same period is another one. */
  readonly renewalSerial: number;
  /** Whether the limits of the server have to be set. */
  readonly limitsDue: boolean;
  /** Whether stock and the customer's limit have to get their unit back. */
  readonly returnDue: boolean;
  /** The product whose unit it took; a change to another product moves no unit. */
  readonly unitProductId: string;
  readonly creditDue: CreditDue | null;
  /** Invoices of the last changes of plan that were made. */
  readonly appliedChanges: readonly string[];
  /** When the usage of a metered service has to be charged next; null: it has none. */
  readonly meterAt: Date | null;
}

type ServiceDocument = Omit<ServiceRecord, 'id' | 'sync'> & {
  _id: string;
  outbox: EmbeddedOutbox<MailPayload>;
  sync: Service['sync'] & { leaseUntil: Date | null };
  renewLeaseUntil: Date | null;
  /** Names the claim that holds the lease. */
  renewLeaseId: string | null;
};

/** Mails about services, inside them until they are delivered. */
const outbox = defineEmbeddedOutbox<MailPayload>('outbox');

const date = { type: Date, default: null };
const changeSchema = new Schema(
  {
    invoiceId: id,
    requestedAt: { type: Date, ...required },
    productId: id,
    productName: text,
    plan: { type: planSchema, ...required },
    server: { type: serverSchema, ...required },
  },
  embedded,
);

const creditDueSchema = new Schema({ id, amountMinor: count, note: text }, embedded);

const syncSchema = new Schema(
  { version: count, dueAt: date, leaseUntil: date, attempts: count, lastError: text },
  embedded,
);

/** Sharding: by _id (hashed). */
const serviceSchema = new Schema<ServiceDocument>(
  {
    _id: id,
    userId: id,
    orderId: id,
    productId: id,
    productName: text,
    plan: { type: planSchema, ...required },
    server: { type: serverSchema, ...required },
    config: { type: configSchema, ...required },
    discount: { type: discountSchema, default: null },
    status: { type: String, enum: serviceStatuses, ...required },
    suspendReason: { type: String, default: null },
    serverId: text,
    sync: { type: syncSchema, ...required },
    nextDueAt: date,
    anchorAt: date,
    periods: count,
    renewAt: date,
    renewLeaseUntil: date,
    renewLeaseId: { type: String, default: null },
    renewalSerial: count,
    cancelAtPeriodEnd: { type: Boolean, ...required },
    change: { type: changeSchema, default: null },
    limitsDue: { type: Boolean, ...required },
    returnDue: { type: Boolean, ...required },
    unitProductId: id,
    creditDue: { type: creditDueSchema, default: null },
    appliedChanges: [String],
    meterAt: date,
    meteredUntil: date,
    suspendedAt: date,
    createdAt: { type: Date, ...required },
    endedAt: date,
    [outbox.field]: outbox.schemaType,
  },
  schemaOptions,
);
serviceSchema.index({ userId: 1, createdAt: 1, _id: 1 }, { name: 'service_user' });
serviceSchema.index({ status: 1, createdAt: 1, _id: 1 }, { name: 'service_status' });
serviceSchema.index({ createdAt: 1, _id: 1 }, { name: 'service_created' });
serviceSchema.index({ nextDueAt: 1, _id: 1 }, { name: 'service_due' });
serviceSchema.index({ orderId: 1 }, { name: 'service_order' });
serviceSchema.index({ productId: 1, status: 1 }, { name: 'service_product' });
serviceSchema.index(
  { serverId: 1 },
  { name: 'service_server', unique: true, partialFilterExpression: { serverId: { $gt: '' } } },
);
serviceSchema.index(
  { 'sync.dueAt': 1 },
  { name: 'service_sync', partialFilterExpression: { 'sync.dueAt': { $type: 'date' } } },
);
serviceSchema.index({ renewAt: 1 }, { name: 'service_renew', partialFilterExpression: { renewAt: { $type: 'date' } } });
serviceSchema.index({ returnDue: 1 }, { name: 'service_return', partialFilterExpression: { returnDue: true } });
serviceSchema.index({ meterAt: 1 }, { name: 'service_meter', partialFilterExpression: { meterAt: { $type: 'date' } } });
serviceSchema.index(
  { 'change.requestedAt': 1 },
  { name: 'service_change', partialFilterExpression: { 'change.requestedAt': { $type: 'date' } } },
);
serviceSchema.index(
  { 'creditDue.id': 1 },
  { name: 'service_credit_due', partialFilterExpression: { 'creditDue.id': { $type: 'string' } } },
);
outbox.addIndexes(serviceSchema, 'service_outbox');

/** What must be so for a change to be made. */
export interface ServiceCondition {
  readonly status?: readonly ServiceStatus[];
  readonly syncVersion?: number;
  readonly nextDueAt?: Date | null;
  readonly renewAt?: Date | null;
  readonly changeInvoiceId?: string | null;
  readonly suspendReason?: Service['suspendReason'];
  readonly creditDueId?: string;
  readonly meteredUntil?: Date | null;
}

type Changeable =
  | 'status'
  | 'suspendReason'
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
  | 'returnDue'
  | 'creditDue'
  | 'appliedChanges'
  | 'meterAt'
  | 'meteredUntil'
  | 'suspendedAt'
  | 'endedAt';

export interface ServiceChange {
  readonly set: Partial<Pick<ServiceRecord, Changeable>>;
  /** The server has to follow, from this time on. */
  readonly syncAt?: Date;
  readonly mail?: MailEntry;
}

export interface ConditionalChange {
  readonly id: string;
  readonly condition: ServiceCondition;
  readonly change: ServiceChange;
}

export interface ServiceFilter {
  readonly userId?: string;
  readonly status?: ServiceStatus;
}

export interface ServiceStore {
  insertOnce(service: ServiceRecord): Promise<boolean>;
  get(id: string): Promise<ServiceRecord | null>;
  getMany(ids: readonly string[]): Promise<ServiceRecord[]>;
  ofOrder(orderId: string): Promise<ServiceRecord[]>;
  list(filter: ServiceFilter, page: PageQuery): Promise<{ services: ServiceRecord[]; total: number }>;
  /** Whether services of a product are not ended. */
  isProductInUse(productId: string): Promise<boolean>;
  /** The service after the change; null when the condition does not hold. */
  changeIf(id: string, condition: ServiceCondition, change: ServiceChange): Promise<ServiceRecord | null>;
  /** Make those of these changes whose condition holds. */
  changeMany(changes: readonly ConditionalChange[]): Promise<void>;
  /** Take a service whose server has to be brought up to date; others leave it alone until the lease ends. */
  claimSync(now: Date, leaseUntil: Date): Promise<ServiceRecord | null>;
  setServer(id: string, serverId: string): Promise<void>;
  /** The server is as version `version` wants it. */
  endSync(id: string, version: number, isLimitsDone: boolean): Promise<void>;
  failSync(id: string, nextAt: Date, error: string): Promise<void>;
  /** The server cannot be created: an operator decides. False when the service is not provisioned any more. */
  giveUpSync(id: string, error: string): Promise<boolean>;
  /** Try again now. */
  retrySync(id: string, now: Date): Promise<void>;
  /** Take services whose renewal is due; others leave them alone until the lease ends. Empty: none is due. */
  claimRenewals(now: Date, leaseUntil: Date, limit: number): Promise<ServiceRecord[]>;
  dueReturns(limit: number): Promise<ServiceRecord[]>;
  /** Services that owe their customer credits. */
  dueCredits(limit: number): Promise<ServiceRecord[]>;
  /** Services whose change of plan was requested before a time and is not made. */
  waitingChanges(before: Date, limit: number): Promise<ServiceRecord[]>;
  /** Take a service whose usage is to be charged; others leave it alone until `nextAt`. */
  claimMetering(now: Date, nextAt: Date): Promise<ServiceRecord | null>;
  /** Check the metered services of a customer that wait for credits at once. */
  wakeMetering(userId: string, now: Date): Promise<void>;
  /** All services in the order of their ids, a page after another. */
  pageAfter(id: string, limit: number): Promise<ServiceRecord[]>;
  /** Mails to deliver. */
  readonly outbox: OutboxStore<MailPayload>;
}

export function createServiceStore(connection: MongoConnection): ServiceStore {
  const model = defineModel(connection, 'Service', serviceSchema, 'services');
  const many = async (filter: Record<string, unknown>, limit: number) =>
    convertEach(await model.find(filter).limit(limit).maxTimeMS(maxQueryMs).lean(), serviceOf);
  const update = async (filter: Record<string, unknown>, change: Record<string, unknown>) => {
    const document = await model
      .findOneAndUpdate(filter, change, { returnDocument: 'after' })
      .maxTimeMS(maxQueryMs)
      .lean();
    // Of a damaged one that is claimed the id is left, to say which one it is.
    return convertEach(document ? [document] : [], serviceOf)[0] ?? null;
  };
  return {
    outbox: createEmbeddedOutboxStore(connection, 'services', outbox),
    insertOnce: async ({ id: serviceId, sync, ...fields }) =>
      insertedOnce(
        model.create([
          {
            ...fields,
            _id: serviceId,
            sync: { ...sync, leaseUntil: null },
            renewLeaseUntil: null,
            renewLeaseId: null,
            outbox: outbox.initial([]),
          },
        ]),
      ),
    get: async (serviceId) => {
      const document = await model.findById(serviceId).maxTimeMS(maxQueryMs).lean();
      return document && serviceOf(document);
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
      return { services: convertEach(documents, serviceOf), total };
    },
    isProductInUse: async (productId) =>
      (await model.exists({ productId, status: { $nin: endedStatuses } }).maxTimeMS(maxQueryMs)) !== null,
    changeIf: async (serviceId, condition, change) => update(filterOf(serviceId, condition), updateOf(change)),
    changeMany: async (changes) => {
      const writes = changes.map(({ id: serviceId, condition, change }) => ({
        updateOne: { filter: filterOf(serviceId, condition), update: updateOf(change) },
      }));
      if (writes.length > 0) await model.bulkWrite(writes, { ordered: false });
    },
    claimSync: async (now, leaseUntil) =>
      update(
        {
          'sync.dueAt': until(now),
          $or: [{ 'sync.leaseUntil': null }, { 'sync.leaseUntil': { $lte: now } }],
        },
        { $set: { 'sync.leaseUntil': leaseUntil }, $inc: { 'sync.attempts': 1 } },
      ),
    setServer: async (serviceId, serverId) => {
      await model.updateOne({ _id: serviceId }, { $set: { serverId } }).maxTimeMS(maxQueryMs);
    },
    endSync: async (serviceId, version, isLimitsDone) => {
      await model
        .updateOne(
          { _id: serviceId, 'sync.version': version },
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
      await model.updateOne({ _id: serviceId }, { $set: { 'sync.leaseUntil': null } }).maxTimeMS(maxQueryMs);
    },
    failSync: async (serviceId, nextAt, error) => {
      await model
        .updateOne(
          { _id: serviceId, 'sync.dueAt': { $ne: null } },
          { $set: { 'sync.dueAt': nextAt, 'sync.leaseUntil': null, 'sync.lastError': error } },
        )
        .maxTimeMS(maxQueryMs);
    },
    giveUpSync: async (serviceId, error) => {
      const given = { status: 'failed', 'sync.dueAt': null, 'sync.leaseUntil': null, 'sync.lastError': error };
      const { matchedCount } = await model
        .updateOne({ _id: serviceId, status: 'provisioning' }, { $set: given })
        .maxTimeMS(maxQueryMs);
      return matchedCount === 1;
    },
    retrySync: async (serviceId, now) => {
      await model.updateOne({ _id: serviceId }, { $set: { 'sync.dueAt': now } }).maxTimeMS(maxQueryMs);
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
        // None: another replica has taken the same ones, and the next ones are free.
        if (matchedCount > 0) return many({ _id: ids, renewLeaseId }, limit);
      }
    },
    dueReturns: async (limit) => many({ returnDue: true }, limit),
    dueCredits: async (limit) => many({ 'creditDue.id': { $type: 'string' } }, limit),
    waitingChanges: async (before, limit) => many({ 'change.requestedAt': until(before) }, limit),
    claimMetering: async (now, nextAt) => update({ meterAt: until(now) }, { $set: { meterAt: nextAt } }),
    wakeMetering: async (userId, now) => {
      await model
        .updateMany({ userId, status: 'suspended', suspendReason: 'balance' }, { $min: { meterAt: now } })
        .maxTimeMS(maxQueryMs);
    },
    pageAfter: async (serviceId, limit) => {
      const page = model.find({ _id: { $gt: serviceId } }).sort({ _id: 1 });
      return convertEach(await page.limit(limit).maxTimeMS(maxQueryMs).lean(), serviceOf);
    },
  };
}

function filterOf(serviceId: string, condition: ServiceCondition) {
  return {
    _id: serviceId,
    ...(condition.status ? { status: { $in: [...condition.status] } } : {}),
    ...(condition.syncVersion === undefined ? {} : { 'sync.version': condition.syncVersion }),
    ...(condition.nextDueAt === undefined ? {} : { nextDueAt: condition.nextDueAt }),
    ...(condition.renewAt === undefined ? {} : { renewAt: condition.renewAt }),
    ...(condition.suspendReason === undefined ? {} : { suspendReason: condition.suspendReason }),
    ...(condition.creditDueId === undefined ? {} : { 'creditDue.id': condition.creditDueId }),
    ...(condition.meteredUntil === undefined ? {} : { meteredUntil: condition.meteredUntil }),
    ...(condition.changeInvoiceId === undefined
      ? {}
      : condition.changeInvoiceId === null
        ? { change: null }
        : { 'change.invoiceId': condition.changeInvoiceId }),
  };
}

function updateOf({ set, syncAt, mail }: ServiceChange) {
  const appended = mail && outbox.append(mail);
  return {
    $set: {
      ...set,
      ...(set.renewAt === undefined ? {} : { renewLeaseUntil: null }),
      ...(syncAt ? { 'sync.dueAt': syncAt, 'sync.attempts': 0 } : {}),
      ...appended?.$set,
    },
    ...(syncAt ? { $inc: { 'sync.version': 1 } } : {}),
    ...(appended ? { $push: appended.$push } : {}),
  };
}

function serviceOf(document: ServiceDocument): ServiceRecord {
  const { _id, outbox: _outbox, renewLeaseUntil: _lease, renewLeaseId: _leaseId, sync, ...fields } = document;
  const { leaseUntil: _leaseUntil, ...rest } = sync;
  return { ...fields, id: _id, sync: rest };
}
