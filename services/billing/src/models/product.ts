import {
  containsText,
  defineModel,
  duplicateIndex,
  type MongoConnection,
  type PageQuery,
  schemaOptions,
} from '@panel/kit';
import { Schema } from 'mongoose';
import { planIntervals, type Product } from '../domain/product.js';
import { fail } from '../reasons.js';

type ProductDocument = Omit<Product, 'id'> & { _id: string };

const required = { required: true } as const;
/** MongoDB's `required` refuses empty text, which a description may be. */
const text = { type: String, default: '' } as const;
const amount = { type: Number, ...required, min: 0, validate: Number.isSafeInteger };
const count = { type: Number, ...required, validate: Number.isSafeInteger };

const usageRatesSchema = new Schema(
  {
    runningHourMicros: amount,
    memoryGbHourMicros: amount,
    diskGbHourMicros: amount,
    trafficGbMicros: amount,
    monthlyCapMinor: amount,
  },
  { ...schemaOptions, _id: false },
);

const planSchema = new Schema(
  {
    id: { type: String, ...required },
    name: text,
    priceMinor: amount,
    setupFeeMinor: amount,
    currency: { type: String, ...required },
    interval: { type: String, enum: planIntervals, ...required },
    intervalCount: count,
    usageRates: { type: usageRatesSchema, default: null },
  },
  { ...schemaOptions, _id: false },
);

const serverSchema = new Schema(
  {
    eggId: { type: String, ...required },
    memoryMb: count,
    cpuPercent: count,
    diskMb: count,
    swapMb: count,
    ioWeight: count,
    databasesLimit: count,
    backupsLimit: count,
    allocationsLimit: count,
    nodeTags: [String],
    environment: { type: Map, of: String, default: {} },
    dockerImage: { type: String, default: null },
  },
  { ...schemaOptions, _id: false },
);

/** Few documents (a shop's catalogue), read often: not sharded. */
const productSchema = new Schema<ProductDocument>(
  {
    _id: { type: String, ...required },
    name: { type: String, ...required },
    slug: { type: String, ...required },
    description: text,
    category: text,
    active: { type: Boolean, ...required },
    stock: { type: Number, default: null },
    perUserLimit: { type: Number, default: null },
    plans: [planSchema],
    upgradeProductIds: [String],
    server: { type: serverSchema, ...required },
    createdAt: { type: Date, ...required },
    updatedAt: { type: Date, ...required },
  },
  schemaOptions,
);
productSchema.index({ slug: 1 }, { name: 'product_slug', unique: true });
productSchema.index({ active: 1, createdAt: 1, _id: 1 }, { name: 'product_active_created' });
productSchema.index({ active: 1, name: 1, _id: 1 }, { name: 'product_active_name' });
productSchema.index({ createdAt: 1, _id: 1 }, { name: 'product_created' });
productSchema.index({ name: 1, _id: 1 }, { name: 'product_name' });

const maxQueryMs = 5_000;

/** The products in the database. */
export interface ProductStore {
  /** Throws PRODUCT_SLUG_TAKEN. */
  create(product: Product): Promise<void>;
  /** One page of products whose name contains the search text. */
  list(filter: { activeOnly: boolean }, page: PageQuery): Promise<{ products: Product[]; total: number }>;
}

export function createProductStore(connection: MongoConnection): ProductStore {
  const model = defineModel(connection, 'Product', productSchema, 'products');
  return {
    create: async ({ id, ...fields }) => {
      try {
        await model.create({ _id: id, ...fields });
      } catch (error) {
        if (duplicateIndex(error) !== 'product_slug') throw error;
        throw fail('PRODUCT_SLUG_TAKEN', 'another product has this slug', { slug: fields.slug }, { cause: error });
      }
    },
    list: async ({ activeOnly }, page) => {
      const filter = {
        ...(activeOnly ? { active: true } : {}),
        ...(page.search === '' ? {} : { name: containsText(page.search) }),
      };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { products: documents.map(productOf), total };
    },
  };
}

function productOf(document: ProductDocument): Product {
  const { _id, ...fields } = document;
  return { id: _id, ...fields };
}
