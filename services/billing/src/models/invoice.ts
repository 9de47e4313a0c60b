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
import { createEmbeddedOutboxStore, defineEmbeddedOutbox, type OutboxStore } from '@panel/outbox';
import {
  type Invoice,
  type InvoicePayment,
  type InvoiceRecord,
  invoiceRecordFields,
  type InvoiceRefund,
  type InvoiceStatus,
  payableStatuses,
  type PendingPayment,
} from '../domain/invoice.js';
import type { MailEntry, MailPayload } from '../domain/mail.js';
import type { Money } from '../domain/payment.js';
import { optional, text } from '@panel/kit/records';
import { maxQueryMs, until } from './fields.js';
import { ignoreDuplicate, ignoreDuplicates } from './write-result.js';

const outbox = defineEmbeddedOutbox<MailPayload>('outbox');

/** Sharding: by _id (hashed). */
const invoiceSchema = documentSchema({
  ...invoiceRecordFields,
  outbox: outbox.schemaType,
  /** Another one with each change that the journal does not have yet. */
  journalMark: optional(text),
});
type InvoiceDocument = DocumentOf<typeof invoiceSchema>;
invoiceSchema.index(
  { kind: 1, sequence: 1 },
  { name: 'invoice_number', unique: true, partialFilterExpression: { sequence: { $type: 'number' } } },
);
invoiceSchema.index({ createdAt: 1 }, { name: 'invoice_unnumbered', partialFilterExpression: { number: '' } });
invoiceSchema.index({ userId: 1, createdAt: 1, _id: 1 }, { name: 'invoice_user' });
invoiceSchema.index({ status: 1, createdAt: 1, _id: 1 }, { name: 'invoice_status' });
invoiceSchema.index({ createdAt: 1, _id: 1 }, { name: 'invoice_created' });
invoiceSchema.index({ number: 1 }, { name: 'invoice_by_number', partialFilterExpression: { number: { $gt: '' } } });
invoiceSchema.index({ 'items.subscriptionId': 1 }, { name: 'invoice_subscription' });
invoiceSchema.index({ paidAt: 1 }, { name: 'invoice_paid' });
invoiceSchema.index({ issuedAt: 1 }, { name: 'invoice_issued' });
invoiceSchema.index(
  { effectsDueAt: 1 },
  { name: 'invoice_effects', partialFilterExpression: { effectsDueAt: { $type: 'date' } } },
);
invoiceSchema.index({ 'payments.method': 1, 'payments.at': 1 }, { name: 'invoice_payments' });
invoiceSchema.index({ stepAt: 1 }, { name: 'invoice_step', partialFilterExpression: { stepAt: { $type: 'date' } } });
invoiceSchema.index(
  { 'intent.at': 1 },
  { name: 'invoice_intent', partialFilterExpression: { 'intent.at': { $type: 'date' } } },
);
invoiceSchema.index(
  { 'refunds.state': 1 },
  { name: 'invoice_refunds', partialFilterExpression: { 'refunds.state': 'pending' } },
);
invoiceSchema.index(
  { journalMark: 1 },
  { name: 'invoice_unjournaled', partialFilterExpression: { journalMark: { $type: 'string' } } },
);
outbox.addIndexes(invoiceSchema, 'invoice_outbox');

/** Precondition of a change. */
interface InvoiceCondition {
  readonly status?: readonly InvoiceStatus[];
  /** No payment from credits in progress. */
  readonly noIntent?: boolean;
  readonly intentId?: string;
  /** Of the pending payment; null: there is none. */
  readonly pending?: Pick<PendingPayment, 'key' | 'reference'> | null;
  /** Unchanged number of payments. */
  readonly paymentCount?: number;
  readonly refundedMinor?: number;
  readonly stepAt?: Date;
  readonly effectsDueAt?: Date;
}

/** Nothing printed. */
interface InvoiceChange {
  readonly set?: Partial<
    Pick<
      InvoiceRecord,
      | 'status'
      | 'paidAt'
      | 'intent'
      | 'pendingPayment'
      | 'effectsDueAt'
      | 'step'
      | 'stepAt'
      | 'refundedMinor'
      | 'disputes'
    >
  >;
  readonly payment?: InvoicePayment;
  readonly refund?: InvoiceRefund;
  readonly mail?: MailEntry;
}

interface InvoiceFilter {
  readonly userId?: string;
  readonly status?: InvoiceStatus;
}

interface InvoiceNumber {
  readonly invoiceId: string;
  readonly sequence: number;
  readonly number: string;
}

export interface InvoiceStore {
  /** False: it exists. */
  insertIfAbsent(invoice: InvoiceRecord, mails?: readonly MailEntry[]): Promise<boolean>;
  /** Skips existing ones. */
  insertAbsent(
    invoices: readonly { readonly invoice: InvoiceRecord; readonly mails: readonly MailEntry[] }[],
  ): Promise<void>;
  get(id: string): Promise<InvoiceRecord | null>;
  getMany(ids: readonly string[]): Promise<InvoiceRecord[]>;
  /** Without credit notes. */
  ofNumbers(numbers: readonly string[]): Promise<InvoiceRecord[]>;
  list(filter: InvoiceFilter, page: PageQuery): Promise<{ invoices: InvoiceRecord[]; total: number }>;
  /** Null: the condition failed. */
  changeIf(id: string, condition: InvoiceCondition, change: InvoiceChange): Promise<InvoiceRecord | null>;
  /** Ids without a number. */
  findUnnumbered(ids: readonly string[]): Promise<Set<string>>;
  /** Skips numbered invoices. */
  setNumbers(numbers: readonly InvoiceNumber[]): Promise<void>;
  /** For the sweep. */
  listUnnumbered(before: Date, limit: number): Promise<{ id: string; kind: Invoice['kind'] }[]>;
  openOfSubscription(subscriptionId: string): Promise<InvoiceRecord[]>;
  /** By currency, with what is still to be paid. */
  openOfUser(userId: string): Promise<(Money & { readonly count: number })[]>;
  dueEffects(before: Date, limit: number): Promise<InvoiceRecord[]>;
  dueSteps(before: Date, limit: number): Promise<InvoiceRecord[]>;
  staleIntents(before: Date, limit: number): Promise<InvoiceRecord[]>;
  paidThrough(gateway: string, since: Date, until: Date, limit: number): Promise<InvoiceRecord[]>;
  pendingRefunds(limit: number): Promise<InvoiceRecord[]>;
  setRefundReference(id: string, refundId: string, reference: string): Promise<void>;
  endRefund(id: string, refundId: string): Promise<void>;
  /** Makes the amount refundable again. */
  failRefund(id: string, refund: Pick<InvoiceRefund, 'id' | 'amountMinor'>, error: string): Promise<void>;
  /** Numbered documents of both kinds, `start` <= day of issue < `end`, in that order. */
  issuedBetween(start: Date, end: Date): AsyncIterable<InvoiceRecord>;
  /** Changed since their last entry in the journal. */
  unjournaled(limit: number): Promise<{ readonly invoice: InvoiceRecord; readonly mark: string }[]>;
  /** Of these, whose changes the journal lacks. */
  withoutJournal(ids: readonly string[]): Promise<Set<string>>;
  /** Unless it has changed since it had that mark. */
  journaled(id: string, mark: string): Promise<void>;
  readonly outbox: OutboxStore<MailPayload>;
}

export function createInvoiceStore(connection: MongoConnection): InvoiceStore {
  const model = defineModel(connection, 'Invoice', invoiceSchema, 'invoices');
  const due = async (filter: Record<string, unknown>, sort: Record<string, 1>, limit: number) =>
    (await model.find(filter).sort(sort).limit(limit).maxTimeMS(maxQueryMs).lean()).map(invoiceOf);
  return {
    outbox: createEmbeddedOutboxStore(connection, 'invoices', outbox),
    insertIfAbsent: async ({ id: invoiceId, ...fields }, mails = []) =>
      ignoreDuplicate(model.create([{ ...fields, _id: invoiceId, outbox: outbox.initial(mails) }])),
    insertAbsent: async (invoices) => {
      if (invoices.length === 0) return;
      const documents = invoices.map(({ invoice: { id: invoiceId, ...fields }, mails }) => ({
        ...fields,
        _id: invoiceId,
        outbox: outbox.initial(mails),
      }));
      // Skips casting for speed.
      await ignoreDuplicates(model.insertMany(documents, { ordered: false, lean: true }));
    },
    get: async (invoiceId) => {
      const document = await model.findById(invoiceId).maxTimeMS(maxQueryMs).lean();
      return document && invoiceOf(document);
    },
    getMany: async (ids) => due({ _id: { $in: [...ids] } }, { _id: 1 }, ids.length || 1),
    ofNumbers: async (numbers) =>
      numbers.length === 0 ? [] : due({ number: { $in: [...numbers] }, kind: 'invoice' }, { _id: 1 }, numbers.length),
    list: async ({ userId, status }, page) => {
      const filter = {
        ...(userId === undefined ? {} : { userId }),
        ...(status === undefined ? {} : { status }),
        ...(page.search === '' ? {} : { number: containsText(page.search) }),
      };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { invoices: convertEach(documents, invoiceOf), total };
    },
    changeIf: async (invoiceId, condition, change) => {
      const document = await model
        .findOneAndUpdate(filterOf(invoiceId, condition, change), updateOf(change), { returnDocument: 'after' })
        .maxTimeMS(maxQueryMs)
        .lean();
      return document && invoiceOf(document);
    },
    findUnnumbered: async (ids) => {
      const found = await model
        .find({ _id: { $in: [...ids] }, sequence: null }, { _id: 1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return new Set(found.map(({ _id }) => _id));
    },
    setNumbers: async (numbers) => {
      const writes = numbers.map(({ invoiceId, sequence, number }) => ({
        updateOne: { filter: { _id: invoiceId, sequence: null }, update: { $set: { sequence, number, ...changed() } } },
      }));
      if (writes.length > 0) await model.bulkWrite(writes, { ordered: false });
    },
    listUnnumbered: async (before, limit) => {
      const found = await model
        .find({ number: '', createdAt: { $lt: before } }, { kind: 1 })
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.map(({ _id, kind }) => ({ id: _id, kind }));
    },
    openOfSubscription: async (subscriptionId) =>
      due({ 'items.subscriptionId': subscriptionId, status: { $in: payableStatuses } }, { createdAt: 1 }, 100),
    openOfUser: async (userId) => {
      const due = { $subtract: ['$totalMinor', { $sum: '$payments.amountMinor' }] };
      const groups = await model
        .aggregate<{ _id: string; count: number; amountMinor: number }>([
          { $match: { userId, status: { $in: payableStatuses } } },
          { $group: { _id: '$currency', count: { $sum: 1 }, amountMinor: { $sum: due } } },
          { $sort: { _id: 1 } },
        ])
        .option({ maxTimeMS: maxQueryMs });
      return groups.map(({ _id: currency, ...rest }) => ({ currency, ...rest }));
    },
    dueEffects: async (before, limit) => due({ effectsDueAt: until(before) }, { effectsDueAt: 1 }, limit),
    dueSteps: async (before, limit) => due({ stepAt: until(before) }, { stepAt: 1 }, limit),
    staleIntents: async (before, limit) => due({ 'intent.at': until(before) }, { 'intent.at': 1 }, limit),
    paidThrough: async (gateway, since, until, limit) =>
      due({ payments: { $elemMatch: { method: gateway, at: { $gte: since, $lt: until } } } }, { _id: 1 }, limit),
    pendingRefunds: async (limit) => due({ 'refunds.state': 'pending' }, { _id: 1 }, limit),
    setRefundReference: async (invoiceId, refundId, reference) => {
      await model
        .updateOne({ _id: invoiceId, 'refunds.id': refundId }, { $set: { 'refunds.$.reference': reference } })
        .maxTimeMS(maxQueryMs);
    },
    endRefund: async (invoiceId, refundId) => {
      await model
        .updateOne(
          { _id: invoiceId, refunds: { $elemMatch: { id: refundId, state: 'pending' } } },
          { $set: { 'refunds.$.state': 'done', 'refunds.$.error': '', ...changed() } },
        )
        .maxTimeMS(maxQueryMs);
    },
    failRefund: async (invoiceId, { id: refundId, amountMinor }, error) => {
      await model
        .updateOne(
          { _id: invoiceId, refunds: { $elemMatch: { id: refundId, state: 'pending' } } },
          {
            $set: { 'refunds.$.state': 'failed', 'refunds.$.error': error, status: 'paid' },
            $inc: { refundedMinor: -amountMinor },
          },
        )
        .maxTimeMS(maxQueryMs);
    },
    issuedBetween: async function* (start, end) {
      const found = model
        .find({ issuedAt: { $gte: start, $lt: end }, number: { $gt: '' } })
        .sort({ issuedAt: 1, _id: 1 });
      for await (const document of found.lean().cursor({ batchSize: 100 })) yield invoiceOf(document);
    },
    unjournaled: async (limit) => {
      const found = await model
        .find({ journalMark: { $type: 'string' } })
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.map((document) => ({ invoice: invoiceOf(document), mark: document.journalMark ?? '' }));
    },
    withoutJournal: async (ids) => {
      const found = await model
        .find({ _id: { $in: [...ids] }, journalMark: { $type: 'string' } }, { _id: 1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return new Set(found.map(({ _id }) => _id));
    },
    journaled: async (invoiceId, journalMark) => {
      await model.updateOne({ _id: invoiceId, journalMark }, { $unset: { journalMark: '' } }).maxTimeMS(maxQueryMs);
    },
  };
}

function filterOf(invoiceId: string, condition: InvoiceCondition, change: InvoiceChange) {
  return {
    _id: invoiceId,
    ...(condition.status ? { status: { $in: [...condition.status] } } : {}),
    ...(condition.noIntent ? { intent: null } : {}),
    ...(condition.intentId === undefined ? {} : { 'intent.id': condition.intentId }),
    ...pendingFilter(condition),
    ...(condition.paymentCount === undefined ? {} : { payments: { $size: condition.paymentCount } }),
    ...(condition.refundedMinor === undefined ? {} : { refundedMinor: condition.refundedMinor }),
    ...(condition.stepAt === undefined ? {} : { stepAt: condition.stepAt }),
    ...(condition.effectsDueAt === undefined ? {} : { effectsDueAt: condition.effectsDueAt }),
    ...(change.payment ? { 'payments.id': { $ne: change.payment.id } } : {}),
    ...(change.refund ? { 'refunds.id': { $ne: change.refund.id } } : {}),
  };
}

function pendingFilter({ pending }: InvoiceCondition) {
  if (pending === undefined) return {};
  if (pending === null) return { pendingPayment: null };
  return { 'pendingPayment.key': pending.key, 'pendingPayment.reference': pending.reference };
}

function updateOf({ set, payment, refund, mail }: InvoiceChange) {
  const appended = mail && outbox.append(mail);
  const push = { ...(payment && { payments: payment }), ...(refund && { refunds: refund }), ...appended?.$push };
  const isForJournal = payment ?? refund ?? set?.status ?? set?.disputes;
  return {
    $set: { ...set, ...appended?.$set, ...(isForJournal ? changed() : {}) },
    ...(Object.keys(push).length > 0 ? { $push: push } : {}),
  };
}

const changed = () => ({ journalMark: randomUUID() });

function invoiceOf({ _id, outbox: _outbox, journalMark: _mark, ...fields }: InvoiceDocument): InvoiceRecord {
  return { ...fields, id: _id };
}
