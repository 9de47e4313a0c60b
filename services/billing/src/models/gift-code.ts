import {
  containsText,
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import { type GiftCode, giftCodeFields, type GiftCodeRedemption, type GiftCodeStatus } from '../domain/gift-code.js';
import { maxQueryMs, until } from './fields.js';
import { ignoreDuplicates } from './write-result.js';

/** Few documents: not sharded. */
const giftCodeSchema = documentSchema(giftCodeFields);
type GiftCodeDocument = DocumentOf<typeof giftCodeSchema>;
giftCodeSchema.index({ codeHash: 1 }, { name: 'gift_code_hash', unique: true });
giftCodeSchema.index({ createdAt: 1, _id: 1 }, { name: 'gift_code_created' });
giftCodeSchema.index({ 'redemptions.userId': 1 }, { name: 'gift_code_user', sparse: true });
giftCodeSchema.index({ 'redemptions.openSince': 1 }, { name: 'gift_code_open', sparse: true });

interface GiftCodeFilter {
  /** Null: all. */
  readonly status: GiftCodeStatus | null;
  /** Redeemed by this user; empty: all. */
  readonly userId: string;
  readonly at: Date;
  /** Of the text that is searched for. */
  readonly codeHash: string;
}

export interface GiftCodeStore {
  /** Idempotent by id. A code that another document has is left out. */
  insert(codes: readonly GiftCode[]): Promise<void>;
  /** Deleted ones too. */
  getMany(ids: readonly string[]): Promise<GiftCode[]>;
  get(id: string): Promise<GiftCode | null>;
  findByHash(codeHash: string): Promise<GiftCode | null>;
  /** Without redemptions. */
  list(filter: GiftCodeFilter, page: PageQuery): Promise<{ readonly giftCodes: GiftCode[]; readonly total: number }>;
  /** Takes a use. Null: unknown, expired, used up, or redeemed by the same user before. */
  take(codeHash: string, redemption: GiftCodeRedemption): Promise<GiftCode | null>;
  /** Idempotent. */
  confirm(id: string, userId: string): Promise<void>;
  /** With redemptions that are open since then. */
  open(before: Date, limit: number): Promise<GiftCode[]>;
  /** Keeps the redemptions, and frees the code. */
  delete(id: string, at: Date): Promise<boolean>;
}

const isUsedUp = { $gte: ['$redeemed', '$uses'] };
const hasUses = { $lt: ['$redeemed', '$uses'] };
const isNotExpired = (at: Date) => ({ $or: [{ expiresAt: null }, { expiresAt: { $gt: at } }] });

export function createGiftCodeStore(connection: MongoConnection): GiftCodeStore {
  const model = defineModel(connection, 'GiftCode', giftCodeSchema, 'gift_codes');
  const findOne = async (filter: object) => {
    const document = await model.findOne(filter).maxTimeMS(maxQueryMs).lean();
    return document && giftCodeOf(document);
  };
  return {
    insert: async (codes) => {
      const documents = codes.map(({ id, ...fields }) => ({ ...fields, _id: id }));
      await ignoreDuplicates(model.insertMany(documents, { ordered: false }));
    },
    getMany: async (ids) =>
      (
        await model
          .find({ _id: { $in: [...ids] } })
          .maxTimeMS(maxQueryMs)
          .lean()
      ).map(giftCodeOf),
    get: async (id) => findOne({ _id: id, deletedAt: null }),
    findByHash: async (codeHash) => findOne({ codeHash }),
    list: async (filter, page) => {
      const query = queryOf(filter, page.search);
      const [documents, total] = await Promise.all([
        model
          .find(query, { redemptions: 0 })
          .sort(page.sort)
          .skip(page.skip)
          .limit(page.perPage)
          .maxTimeMS(maxQueryMs)
          .lean(),
        model.countDocuments(query).maxTimeMS(maxQueryMs),
      ]);
      const listed = convertEach(documents, (document) => giftCodeOf({ ...document, redemptions: [] }));
      return { giftCodes: listed, total };
    },
    take: async (codeHash, redemption) => {
      const document = await model
        .findOneAndUpdate(
          {
            codeHash,
            'redemptions.userId': { $ne: redemption.userId },
            ...isNotExpired(redemption.at),
            $expr: hasUses,
          },
          { $inc: { redeemed: 1 }, $push: { redemptions: redemption } },
          { returnDocument: 'after' },
        )
        .maxTimeMS(maxQueryMs)
        .lean();
      return document && giftCodeOf(document);
    },
    confirm: async (id, userId) => {
      await model
        .updateOne(
          { _id: id, redemptions: { $elemMatch: { userId, openSince: { $type: 'date' } } } },
          { $unset: { 'redemptions.$.openSince': '' } },
        )
        .maxTimeMS(maxQueryMs);
    },
    open: async (before, limit) =>
      convertEach(
        await model
          .find({ 'redemptions.openSince': until(before) })
          .limit(limit)
          .maxTimeMS(maxQueryMs)
          .lean(),
        giftCodeOf,
      ),
    delete: async (id, at) => {
      const { matchedCount } = await model
        .updateOne({ _id: id, deletedAt: null }, { $set: { deletedAt: at, codeHash: `deleted:${id}` } })
        .maxTimeMS(maxQueryMs);
      return matchedCount === 1;
    },
  };
}

function queryOf({ status, userId, at, codeHash }: GiftCodeFilter, search: string): Record<string, unknown> {
  const byStatus = {
    redeemable: { ...isNotExpired(at), $expr: hasUses },
    used_up: { $expr: isUsedUp },
    expired: { expiresAt: { $ne: null, $lte: at }, $expr: hasUses },
  };
  return {
    deletedAt: null,
    ...(userId === '' ? {} : { 'redemptions.userId': userId }),
    $and: [
      status === null ? {} : byStatus[status],
      search === '' ? {} : { $or: [{ codeHash }, { note: containsText(search) }] },
    ],
  };
}

function giftCodeOf({ _id, ...fields }: GiftCodeDocument): GiftCode {
  return { ...fields, id: _id };
}
