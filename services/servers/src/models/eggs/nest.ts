import {
  containsText,
  defineModel,
  duplicateIndex,
  type MongoConnection,
  type PageQuery,
  schemaOptions,
} from '@panel/kit';
import { Schema } from 'mongoose';
import type { Nest } from '../../domain/eggs/egg.js';
import { fail } from '../../reasons.js';
import { maxQueryMs, required, text } from '../fields.js';

type NestDocument = Omit<Nest, 'id'> & { _id: string; nameKey: string };

/** A handful of documents: not sharded. */
const nestSchema = new Schema<NestDocument>(
  {
    _id: { type: String, ...required },
    name: { type: String, ...required },
    /** Lower case, for the unique index. */
    nameKey: { type: String, ...required },
    description: text,
    author: text,
    createdAt: { type: Date, ...required },
    updatedAt: { type: Date, ...required },
  },
  schemaOptions,
);
nestSchema.index({ nameKey: 1 }, { name: 'nest_name', unique: true });
nestSchema.index({ createdAt: 1, _id: 1 }, { name: 'nest_created' });

export interface NestStore {
  /** Throws NEST_NAME_TAKEN. */
  create(nest: Nest): Promise<Nest>;
  /** The nest of this name, made when missing. Any number of callers get the same one. */
  ensure(nest: Nest): Promise<Nest>;
  get(nestId: string): Promise<Nest | null>;
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
        if (duplicateIndex(error) !== 'nest_name') throw error;
        throw fail('NEST_NAME_TAKEN', 'another nest has this name', { name: fields.name }, { cause: error });
      }
    },
    ensure: async ({ id, ...fields }) => {
      const nameKey = fields.name.toLowerCase();
      const update = { $setOnInsert: { _id: id, ...fields } };
      const upsert = async () =>
        model.findOneAndUpdate({ nameKey }, update, { upsert: true, returnDocument: 'after' }).lean();
      const found = await upsert().catch(async (error: unknown) => {
        // Two upserts at once: the slower one runs into the index and finds the nest the second time.
        if (duplicateIndex(error) !== 'nest_name') throw error;
        return upsert();
      });
      return nestOf(found);
    },
    get: async (nestId) => {
      const found = await model.findById(nestId).maxTimeMS(maxQueryMs).lean();
      return found && nestOf(found);
    },
    list: async (page) => {
      const filter = page.search === '' ? {} : { name: containsText(page.search) };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { nests: documents.map(nestOf), total };
    },
  };
}

function nestOf(document: NestDocument): Nest {
  const { _id, nameKey: _nameKey, ...fields } = document;
  return { id: _id, ...fields };
}
