import {
  containsText,
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import { optional, text } from '@panel/kit/records';
import { type OrderRecord, orderRecordFields, type OrderStatus } from '../domain/order.js';
import { maxQueryMs, until } from './fields.js';
import { ignoreDuplicate } from './write-result.js';

/** Sharding: by _id (hashed). */
const orderSchema = documentSchema({ ...orderRecordFields, cartKey: optional(text) });
type OrderDocument = DocumentOf<typeof orderSchema>;
orderSchema.index(
  { cartKey: 1 },
  { name: 'order_cart', unique: true, partialFilterExpression: { cartKey: { $type: 'string' } } },
);
orderSchema.index({ userId: 1, createdAt: 1, _id: 1 }, { name: 'order_user' });
orderSchema.index({ status: 1, createdAt: 1, _id: 1 }, { name: 'order_status' });
orderSchema.index({ createdAt: 1, _id: 1 }, { name: 'order_created' });
orderSchema.index({ placeBy: 1 }, { name: 'order_placing', partialFilterExpression: { status: 'placing' } });
orderSchema.index({ workDueAt: 1 }, { name: 'order_work', partialFilterExpression: { workDueAt: { $type: 'date' } } });

interface OrderFilter {
  readonly userId?: string;
  readonly status?: OrderStatus;
}

export interface OrderStore {
  /** False: the order, or one of this cart version, exists. */
  insertIfAbsent(order: OrderRecord): Promise<boolean>;
  get(id: string): Promise<OrderRecord | null>;
  /** Omits undecided and failed ones. */
  list(filter: OrderFilter, page: PageQuery): Promise<{ orders: OrderRecord[]; total: number }>;
  /** The first call wins. `workDueAt` schedules the follow-up. */
  decide(id: string, status: 'pending' | 'paid' | 'failed', workDueAt: Date): Promise<OrderRecord | null>;
  /** Null: the status is none of these. */
  changeStatus(
    id: string,
    from: readonly OrderStatus[],
    to: OrderStatus,
    workDueAt?: Date,
  ): Promise<OrderRecord | null>;
  /** Only in one of these states: another state has its own work. */
  completeWork(id: string, states: readonly OrderStatus[]): Promise<OrderRecord | null>;
  postponeWork(id: string, until: Date): Promise<void>;
  /** Checkouts past their deadline. */
  expiredPlacing(before: Date, limit: number): Promise<OrderRecord[]>;
  dueWork(before: Date, limit: number): Promise<OrderRecord[]>;
}

export function createOrderStore(connection: MongoConnection): OrderStore {
  const model = defineModel(connection, 'Order', orderSchema, 'orders');
  const changed = async (filter: Record<string, unknown>, update: Record<string, unknown>) => {
    const document = await model
      .findOneAndUpdate(filter, update, { returnDocument: 'after' })
      .maxTimeMS(maxQueryMs)
      .lean();
    return document && orderOf(document);
  };
  return {
    insertIfAbsent: async ({ id: orderId, cartKey, ...fields }) =>
      ignoreDuplicate(model.create([{ ...fields, _id: orderId, ...(cartKey === null ? {} : { cartKey }) }])),
    get: async (orderId) => {
      const document = await model.findById(orderId).maxTimeMS(maxQueryMs).lean();
      return document && orderOf(document);
    },
    list: async ({ userId, status }, page) => {
      const filter: Record<string, unknown> = {
        ...(userId === undefined ? {} : { userId }),
        status: status ?? { $nin: ['placing', 'failed'] },
        ...(page.search === '' ? {} : { number: containsText(page.search) }),
      };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { orders: convertEach(documents, orderOf), total };
    },
    decide: async (orderId, status, workDueAt) =>
      changed(
        { _id: orderId, status: 'placing' },
        // A failed checkout releases the cart.
        { $set: { status, workDueAt }, ...(status === 'failed' ? { $unset: { cartKey: 1 } } : {}) },
      ),
    changeStatus: async (orderId, from, to, workDueAt) =>
      changed(
        { _id: orderId, status: { $in: [...from] } },
        { $set: { status: to, ...(workDueAt ? { workDueAt } : {}) } },
      ),
    completeWork: async (orderId, states) =>
      changed({ _id: orderId, status: { $in: [...states] } }, { $set: { workDueAt: null } }),
    postponeWork: async (orderId, until) => {
      await model
        .updateOne({ _id: orderId, workDueAt: { $ne: null } }, { $set: { workDueAt: until } })
        .maxTimeMS(maxQueryMs);
    },
    expiredPlacing: async (before, limit) =>
      (
        await model
          .find({ status: 'placing', placeBy: { $lt: before } })
          .limit(limit)
          .maxTimeMS(maxQueryMs)
          .lean()
      ).map(orderOf),
    dueWork: async (before, limit) =>
      (
        await model
          .find({ workDueAt: until(before) })
          .sort({ workDueAt: 1 })
          .limit(limit)
          .maxTimeMS(maxQueryMs)
          .lean()
      ).map(orderOf),
  };
}

function orderOf({ _id, cartKey, ...fields }: OrderDocument): OrderRecord {
  return { ...fields, id: _id, cartKey: cartKey ?? null };
}
