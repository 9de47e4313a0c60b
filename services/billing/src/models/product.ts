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
import { createHolds, type Holds, holdsFields } from './holds.js';
import { type Product, productFields } from '../domain/product.js';
import { fail } from '../reasons.js';
import { maxQueryMs } from './fields.js';

/** Few documents, read often: not sharded. */
const productSchema = documentSchema({ ...productFields, ...holdsFields });
type ProductDocument = DocumentOf<typeof productSchema>;
productSchema.index({ slug: 1 }, { name: 'product_slug', unique: true });
productSchema.index({ active: 1, createdAt: 1, _id: 1 }, { name: 'product_active_created' });
productSchema.index({ active: 1, name: 1, _id: 1 }, { name: 'product_active_name' });
productSchema.index({ createdAt: 1, _id: 1 }, { name: 'product_created' });
productSchema.index({ name: 1, _id: 1 }, { name: 'product_name' });
productSchema.index({ 'holds.at': 1 }, { name: 'product_holds', sparse: true });

type ProductChanges = Partial<Omit<Product, 'id' | 'createdAt'>>;

export interface ProductStore {
  /** Throws PRODUCT_SLUG_TAKEN. */
  create(product: Product): Promise<void>;
  /** By part of the name. */
  list(
    filter: { activeOnly: boolean; eggId: string | null },
    page: PageQuery,
  ): Promise<{ products: Product[]; total: number }>;
  get(id: string): Promise<Product | null>;
  getMany(ids: readonly string[]): Promise<Product[]>;
  /** Null: not found. Throws PRODUCT_SLUG_TAKEN. */
  update(id: string, changes: ProductChanges): Promise<Product | null>;
  /** Puts these fields back, unless it has another egg meanwhile. */
  revert(before: Product, eggId: string, fields: readonly (keyof ProductChanges)[]): Promise<void>;
  delete(id: string): Promise<boolean>;
  /** Active products by egg. */
  onSaleByEgg(): Promise<{ readonly eggId: string; readonly productIds: readonly string[] }[]>;
  /** Limited stock only. */
  readonly stock: Holds;
}

export function createProductStore(connection: MongoConnection): ProductStore {
  const model = defineModel(connection, 'Product', productSchema, 'products');
  const mapDuplicateSlug = async <T>(slug: string | undefined, write: Promise<T>): Promise<T> => {
    try {
      return await write;
    } catch (error) {
      if (duplicateIndex(error) !== 'product_slug') throw error;
      throw fail('PRODUCT_SLUG_TAKEN', 'another product has this slug', { slug }, { cause: error });
    }
  };
  return {
    stock: createHolds(model, 'stock', -1),
    create: async ({ id, ...fields }) => {
      await mapDuplicateSlug(fields.slug, model.create({ _id: id, holds: [], returns: [], ...fields }));
    },
    get: async (id) => {
      const document = await model.findById(id).maxTimeMS(maxQueryMs).lean();
      return document && productOf(document);
    },
    getMany: async (ids) =>
      (
        await model
          .find({ _id: { $in: [...ids] } })
          .maxTimeMS(maxQueryMs)
          .lean()
      ).map(productOf),
    update: async (id, changes) => {
      const update = model
        .findOneAndUpdate({ _id: id }, { $set: changes }, { returnDocument: 'after', runValidators: true })
        .maxTimeMS(maxQueryMs)
        .lean();
      const document = await mapDuplicateSlug(changes.slug, update.exec());
      return document && productOf(document);
    },
    revert: async (before, eggId, fields) => {
      const $set = Object.fromEntries(fields.map((field) => [field, before[field]]));
      await model.updateOne({ _id: before.id, 'server.eggId': eggId }, { $set }).maxTimeMS(maxQueryMs);
    },
    delete: async (id) => (await model.deleteOne({ _id: id }).maxTimeMS(maxQueryMs)).deletedCount === 1,
    onSaleByEgg: async () => {
      const groups = await model
        .aggregate<{ _id: string; productIds: string[] }>([
          { $match: { active: true } },
          { $group: { _id: '$server.eggId', productIds: { $push: '$_id' } } },
        ])
        .option({ maxTimeMS: maxQueryMs });
      return groups.map(({ _id: eggId, productIds }) => ({ eggId, productIds }));
    },
    list: async ({ activeOnly, eggId }, page) => {
      const filter = {
        ...(activeOnly ? { active: true } : {}),
        ...(eggId === null ? {} : { 'server.eggId': eggId }),
        ...(page.search === '' ? {} : { name: containsText(page.search) }),
      };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { products: convertEach(documents, productOf), total };
    },
  };
}

function productOf(document: ProductDocument): Product {
  const { _id, holds: _holds, returns: _returns, ...fields } = document;
  return { ...fields, id: _id, upgradeProductIds: fields.upgradeProductIds ?? [] };
}
