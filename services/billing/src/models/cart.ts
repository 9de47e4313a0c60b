import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date } from '@panel/kit/records';
import { type Cart, cartFields, type CartItem, maxCartItems } from '../domain/cart.js';
import { maxQueryMs } from './fields.js';

/** After the last change. */
const retentionSeconds = 90 * 86_400;

/** Sharding: by _id (hashed), the customer. */
const cartSchema = documentSchema({ ...cartFields, updatedAt: date });
cartSchema.index({ updatedAt: 1 }, { name: 'cart_expiry', expireAfterSeconds: retentionSeconds });

/** One write per change: concurrent tabs lose nothing. */
export interface CartStore {
  get(userId: string): Promise<Cart>;
  /** False: the cart is full. */
  addItem(userId: string, item: CartItem, at: Date): Promise<boolean>;
  /** False: no such item. */
  removeItem(userId: string, itemId: string, at: Date): Promise<boolean>;
  /** Empty removes it. */
  setCoupon(userId: string, code: string, at: Date): Promise<void>;
  /** Removes bought items. Idempotent. */
  removeBought(userId: string, itemIds: readonly string[], couponCode: string, at: Date): Promise<void>;
}

export function createCartStore(connection: MongoConnection): CartStore {
  const model = defineModel(connection, 'Cart', cartSchema, 'carts');
  const ensure = async (userId: string, at: Date) => {
    const empty = { version: 0, items: [], couponCode: '', updatedAt: at };
    await model.updateOne({ _id: userId }, { $setOnInsert: empty }, { upsert: true }).maxTimeMS(maxQueryMs);
  };
  return {
    get: async (userId) => {
      const document = await model.findById(userId).maxTimeMS(maxQueryMs).lean();
      if (!document) return { id: userId, version: 0, items: [], couponCode: '' };
      const { _id, version, items, couponCode } = document;
      return { id: _id, version, items, couponCode };
    },
    addItem: async (userId, item, at) => {
      await ensure(userId, at);
      const { matchedCount } = await model
        .updateOne(
          { _id: userId, [`items.${maxCartItems - 1}`]: { $exists: false } },
          { $push: { items: item }, $inc: { version: 1 }, $set: { updatedAt: at } },
        )
        .maxTimeMS(maxQueryMs);
      return matchedCount === 1;
    },
    removeItem: async (userId, itemId, at) => {
      const { matchedCount } = await model
        .updateOne(
          { _id: userId, 'items.id': itemId },
          { $pull: { items: { id: itemId } }, $inc: { version: 1 }, $set: { updatedAt: at } },
        )
        .maxTimeMS(maxQueryMs);
      return matchedCount === 1;
    },
    setCoupon: async (userId, code, at) => {
      await ensure(userId, at);
      await model
        .updateOne({ _id: userId }, { $set: { couponCode: code, updatedAt: at }, $inc: { version: 1 } })
        .maxTimeMS(maxQueryMs);
    },
    removeBought: async (userId, itemIds, couponCode, at) => {
      await model
        .updateOne(
          { _id: userId, 'items.id': { $in: [...itemIds] } },
          { $pull: { items: { id: { $in: [...itemIds] } } }, $inc: { version: 1 }, $set: { updatedAt: at } },
        )
        .maxTimeMS(maxQueryMs);
      if (couponCode === '') return;
      await model.updateOne({ _id: userId, couponCode }, { $set: { couponCode: '' } }).maxTimeMS(maxQueryMs);
    },
  };
}
