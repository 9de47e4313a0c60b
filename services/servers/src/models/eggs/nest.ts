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
import { date, id, orNull } from '@panel/kit/records';
import { type Nest, nestFields } from '../../domain/eggs/egg.js';
import { fail } from '../../reasons.js';
import { maxQueryMs, notDeleting } from '../fields.js';

/** Few documents: not sharded. */
const nestSchema = documentSchema({
  ...nestFields,
  /** Lower case, for the unique index. */
  nameKey: id,
  /** Hides the nest from new eggs. */
  deletingAt: orNull(date),
});
type NestDocument = DocumentOf<typeof nestSchema>;
nestSchema.index({ nameKey: 1 }, { name: 'nest_name', unique: true });
nestSchema.index({ createdAt: 1, _id: 1 }, { name: 'nest_created' });

export interface NestStore {
  /** Throws NEST_NAME_TAKEN. */
  create(nest: Nest): Promise<Nest>;
  /** By name; concurrent callers get the same one. */
  ensure(nest: Nest): Promise<Nest>;
  get(nestId: string): Promise<Nest | null>;
  /** Null: not found. Throws NEST_NAME_TAKEN. */
  update(
    nestId: string,
    fields: Partial<Pick<Nest, 'name' | 'description' | 'author'>>,
    at: Date,
  ): Promise<Nest | null>;
  /** False: not found. */
  beginDelete(nestId: string, at: Date): Promise<boolean>;
  cancelDelete(nestId: string): Promise<void>;
  delete(nestId: string): Promise<void>;
  list(page: PageQuery): Promise<{ nests: Nest[]; total: number }>;
}

export function createNestStore(connection: MongoConnection): NestStore {
  const model = defineModel(connection, 'Nest', nestSchema, 'nests');
  return {
    create: async (nest) => {
      const { id, ...fields } = nest;
      try {
        await model.create({ _id: id, nameKey: fields.name.toLowerCase(), ...fields });
        return nest;
      } catch (error) {
        throw nameTaken(error, fields.name);
      }
    },
    ensure: async ({ id, ...fields }) => {
      const nameKey = fields.name.toLowerCase();
      const update = { $setOnInsert: { _id: id, ...fields } };
      const upsert = async () =>
        model.findOneAndUpdate({ nameKey }, update, { upsert: true, returnDocument: 'after' }).lean();
      const found = await upsert().catch(async (error: unknown) => {
        // The loser of concurrent upserts hits the index and finds the nest at the retry.
        if (duplicateIndex(error) !== 'nest_name') throw error;
        return upsert();
      });
      return nestOf(found);
    },
    get: async (nestId) => {
      const found = await model
        .findOne({ _id: nestId, ...notDeleting() })
        .maxTimeMS(maxQueryMs)
        .lean();
      return found && nestOf(found);
    },
    update: async (nestId, fields, at) => {
      const nameKey = fields.name === undefined ? {} : { nameKey: fields.name.toLowerCase() };
      const update = { $set: { ...fields, ...nameKey, updatedAt: at } };
      try {
        const found = await model.findByIdAndUpdate(nestId, update, { returnDocument: 'after' }).lean();
        return found && nestOf(found);
      } catch (error) {
        throw nameTaken(error, fields.name ?? '');
      }
    },
    beginDelete: async (nestId, at) =>
      (await model.updateOne({ _id: nestId }, { $set: { deletingAt: at } })).matchedCount === 1,
    cancelDelete: async (nestId) => void (await model.updateOne({ _id: nestId }, { $set: { deletingAt: null } })),
    delete: async (nestId) => void (await model.deleteOne({ _id: nestId, deletingAt: { $ne: null } })),
    list: async (page) => {
      const filter = page.search === '' ? {} : { name: containsText(page.search) };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { nests: convertEach(documents, nestOf), total };
    },
  };
}

function nameTaken(error: unknown, name: string): unknown {
  if (duplicateIndex(error) !== 'nest_name') return error;
  return fail('NEST_NAME_TAKEN', 'another nest has this name', { name }, { cause: error });
}

function nestOf(document: NestDocument): Nest {
  const { _id, nameKey: _nameKey, deletingAt: _deletingAt, ...fields } = document;
  return { id: _id, ...fields };
}
