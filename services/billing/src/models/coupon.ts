import {
  containsText,
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  duplicateIndex,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import { id } from '@panel/kit/records';
import { createHolds, type Hold, type Holds, holdsFields } from './holds.js';
import { type Coupon, couponFields } from '../domain/coupon.js';
import { fail } from '../reasons.js';
import { maxQueryMs } from './fields.js';

/** Few documents: not sharded. */
const couponSchema = documentSchema({
  ...couponFields,
  codeKey: id,
  ...holdsFields,
});
type CouponDocument = DocumentOf<typeof couponSchema>;
couponSchema.index({ codeKey: 1 }, { name: 'coupon_code', unique: true });
couponSchema.index({ createdAt: 1, _id: 1 }, { name: 'coupon_created' });
couponSchema.index({ 'holds.at': 1 }, { name: 'coupon_holds', sparse: true });

type CouponChanges = Partial<Omit<Coupon, 'id' | 'type' | 'currency' | 'uses' | 'createdAt'>>;

export interface CouponStore {
  /** Throws COUPON_CODE_TAKEN. */
  create(coupon: Coupon): Promise<void>;
  get(id: string): Promise<Coupon | null>;
  /** Case-insensitive. */
  findByCode(code: string): Promise<Coupon | null>;
  list(page: PageQuery): Promise<{ coupons: Coupon[]; total: number }>;
  /** Null: not found. Throws COUPON_CODE_TAKEN. */
  update(id: string, changes: CouponChanges): Promise<Coupon | null>;
  delete(id: string): Promise<boolean>;
  /** False: used up. */
  take(couponId: string, hold: Hold): Promise<boolean>;
  readonly uses: Omit<Holds, 'take'>;
}

export function createCouponStore(connection: MongoConnection): CouponStore {
  const model = defineModel(connection, 'Coupon', couponSchema, 'coupons');
  const holds = createHolds(model, 'uses', 1);
  return {
    uses: holds,
    take: async (couponId, hold) =>
      holds.take(couponId, hold, {
        $or: [{ maxUses: null }, { $expr: { $lte: [{ $add: ['$uses', hold.quantity] }, '$maxUses'] } }],
      }),
    create: async ({ id: couponId, ...fields }) => {
      await mapDuplicateCode(
        model.create({ _id: couponId, codeKey: keyOf(fields.code), holds: [], returns: [], ...fields }),
      );
    },
    get: async (couponId) => {
      const document = await model.findById(couponId).maxTimeMS(maxQueryMs).lean();
      return document && couponOf(document);
    },
    findByCode: async (code) => {
      const document = await model
        .findOne({ codeKey: keyOf(code) })
        .maxTimeMS(maxQueryMs)
        .lean();
      return document && couponOf(document);
    },
    list: async (page) => {
      const filter = page.search === '' ? {} : { code: containsText(page.search) };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { coupons: convertEach(documents, couponOf), total };
    },
    update: async (couponId, changes) => {
      const code = changes.code === undefined ? {} : { codeKey: keyOf(changes.code) };
      const update = model
        .findOneAndUpdate({ _id: couponId }, { $set: { ...changes, ...code } }, { returnDocument: 'after' })
        .maxTimeMS(maxQueryMs)
        .lean();
      const document = await mapDuplicateCode(update.exec());
      return document && couponOf(document);
    },
    delete: async (couponId) => (await model.deleteOne({ _id: couponId }).maxTimeMS(maxQueryMs)).deletedCount === 1,
  };
}

function keyOf(code: string): string {
  return code.trim().toUpperCase();
}

async function mapDuplicateCode<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (duplicateIndex(error) !== 'coupon_code') throw error;
    throw fail('COUPON_CODE_TAKEN', 'another coupon has this code', {}, { cause: error });
  }
}

function couponOf({ _id, codeKey: _key, holds: _holds, returns: _returns, ...fields }: CouponDocument): Coupon {
  return { ...fields, id: _id };
}
