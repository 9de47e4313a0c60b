import {
  containsText,
  defineModel,
  type MongoConnection,
  type PageQuery,
  schemaOptions,
  convertEach,
} from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import type { Egg, EggSpec } from '../../domain/eggs/egg.js';
import { maxQueryMs, notDeleting, required, text } from '../fields.js';

type EggDocument = Omit<Egg, 'id'> & { _id: string; deletingAt?: Date | null };

const partOptions = { ...schemaOptions, _id: false };

/** Shared with models/server-schema.ts. */
export const variableSchema = new Schema(
  {
    name: text,
    description: text,
    envVariable: { type: String, ...required },
    defaultValue: text,
    userViewable: { type: Boolean, ...required },
    userEditable: { type: Boolean, ...required },
    rules: [String],
  },
  partOptions,
);

export const configSchema = new Schema(
  {
    filesJson: text,
    startupDone: [String],
    startupStripAnsi: { type: Boolean, default: false },
    logsJson: text,
    stop: text,
    stopGraceSeconds: { type: Number, default: null },
  },
  partOptions,
);

export const scriptSchema = new Schema({ install: text, container: text, entrypoint: text }, partOptions);

export const imageSchema = new Schema(
  { label: { type: String, ...required }, image: { type: String, ...required } },
  partOptions,
);

export const commandSchema = new Schema(
  { label: { type: String, ...required }, command: { type: String, ...required } },
  partOptions,
);

const specSchema = new Schema<EggSpec>(
  {
    name: { type: String, ...required },
    description: text,
    author: text,
    features: [String],
    dockerImages: [imageSchema],
    startup: { type: String, ...required },
    startupCommands: [commandSchema],
    config: { type: configSchema, ...required },
    script: { type: scriptSchema, ...required },
    fileDenylist: [String],
    forceOutgoingIp: { type: Boolean, default: false },
    variables: [variableSchema],
    extrasJson: text,
  },
  partOptions,
);

/** Hundreds of documents: not sharded. */
const eggSchema = new Schema<EggDocument>(
  {
    _id: { type: String, ...required },
    nestId: { type: String, ...required },
    uuid: { type: String, ...required },
    spec: { type: specSchema, ...required },
    /** Hides the egg from new servers. */
    deletingAt: { type: Date, default: null },
    createdAt: { type: Date, ...required },
    updatedAt: { type: Date, ...required },
  },
  schemaOptions,
);
eggSchema.index({ nestId: 1, createdAt: 1, _id: 1 }, { name: 'egg_nest_created' });
eggSchema.index({ nestId: 1, 'spec.name': 1, _id: 1 }, { name: 'egg_nest_name' });
eggSchema.index({ createdAt: 1, _id: 1 }, { name: 'egg_created' });

interface EggChanges {
  readonly spec?: Partial<EggSpec>;
  readonly nestId?: string;
}

export interface EggStore {
  create(egg: Egg): Promise<Egg>;
  get(eggId: string): Promise<Egg | null>;
  /** False: not found. */
  beginDelete(eggId: string, at: Date): Promise<boolean>;
  cancelDelete(eggId: string): Promise<void>;
  /** False: in use since `beginDelete`. */
  delete(eggId: string): Promise<boolean>;
  /** For an egg that just came into use. */
  restore(egg: Egg): Promise<void>;
  namesOf(nestId: string, limit: number): Promise<string[]>;
  /** Null: not found. */
  update(eggId: string, changes: EggChanges, at: Date): Promise<Egg | null>;
  list(filter: { nestId: string }, page: PageQuery): Promise<{ eggs: Egg[]; total: number }>;
  /** By nest id. */
  countByNest(nestIds: readonly string[]): Promise<Map<string, number>>;
}

export function createEggStore(connection: MongoConnection): EggStore {
  const model = defineModel(connection, 'Egg', eggSchema, 'eggs');
  return {
    create: async (egg) => {
      const { id, ...fields } = egg;
      await model.create({ _id: id, ...fields });
      return egg;
    },
    get: async (eggId) => {
      const found = await model
        .findOne({ _id: eggId, ...notDeleting() })
        .maxTimeMS(maxQueryMs)
        .lean();
      return found && eggOf(found);
    },
    beginDelete: async (eggId, at) =>
      (await model.updateOne({ _id: eggId }, { $set: { deletingAt: at } })).matchedCount === 1,
    cancelDelete: async (eggId) => void (await model.updateOne({ _id: eggId }, { $set: { deletingAt: null } })),
    delete: async (eggId) => (await model.deleteOne({ _id: eggId, deletingAt: { $ne: null } })).deletedCount === 1,
    restore: async ({ id, ...fields }) => {
      const update = { $set: { deletingAt: null }, $setOnInsert: fields };
      await model.updateOne({ _id: id }, update, { upsert: true });
    },
    namesOf: async (nestId, limit) => {
      const found = await model
        .find({ nestId }, { spec: { name: 1 } })
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.map(({ spec }) => spec.name);
    },
    update: async (eggId, { spec = {}, nestId }, at) => {
      const set = Object.fromEntries(Object.entries(spec).map(([name, value]) => [`spec.${name}`, value]));
      const update = { $set: { ...set, ...(nestId === undefined ? {} : { nestId }), updatedAt: at } };
      const found = await model.findByIdAndUpdate(eggId, update, { returnDocument: 'after' }).lean();
      return found && eggOf(found);
    },
    list: async ({ nestId }, page) => {
      const filter = {
        ...(nestId === '' ? {} : { nestId }),
        ...(page.search === '' ? {} : { 'spec.name': containsText(page.search) }),
      };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { eggs: convertEach(documents, eggOf), total };
    },
    countByNest: async (nestIds) => {
      const groups = await model.aggregate<{ _id: string; count: number }>([
        { $match: { nestId: { $in: [...nestIds] } } },
        { $group: { _id: '$nestId', count: { $sum: 1 } } },
      ]);
      return new Map(groups.map(({ _id, count }) => [_id, count]));
    },
  };
}

function eggOf(document: EggDocument): Egg {
  const { _id, spec, deletingAt: _deletingAt, ...fields } = document;
  return { id: _id, spec, ...fields };
}
