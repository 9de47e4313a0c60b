import {
  containsText,
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import { date, orNull } from '@panel/kit/records';
import { type Egg, eggFields, type EggSpec } from '../../domain/eggs/egg.js';
import { maxQueryMs, notDeleting } from '../fields.js';

/** Well below the time that a claim hides an egg. */
const sharedClaimMs = 30_000;

/** Hundreds of documents: not sharded. */
const eggSchema = documentSchema({
  ...eggFields,
  /** Hides the egg from new servers. */
  deletingAt: orNull(date),
});
type EggDocument = DocumentOf<typeof eggSchema>;
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
  /** The time of the claim; concurrent deletions share it. Null: not found. */
  beginDelete(eggId: string, at: Date): Promise<Date | null>;
  cancelDelete(eggId: string): Promise<void>;
  exists(eggId: string): Promise<boolean>;
  /** False: in use since `beginDelete`, which gave `claimedAt`. */
  delete(eggId: string, claimedAt: Date): Promise<boolean>;
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
    beginDelete: async (eggId, at) => {
      // A claim that another took over would let an earlier deletion go on after its cancellation.
      const shared = { $gt: ['$deletingAt', new Date(at.getTime() - sharedClaimMs)] };
      const stages = [{ $set: { deletingAt: { $cond: [shared, '$deletingAt', at] } } }];
      const options = { returnDocument: 'after', updatePipeline: true, projection: { deletingAt: 1 } } as const;
      return (await model.findOneAndUpdate({ _id: eggId }, stages as never, options).lean())?.deletingAt ?? null;
    },
    cancelDelete: async (eggId) => void (await model.updateOne({ _id: eggId }, { $set: { deletingAt: null } })),
    exists: async (eggId) => (await model.exists({ _id: eggId })) !== null,
    delete: async (eggId, claimedAt) =>
      (await model.deleteOne({ _id: eggId, deletingAt: claimedAt })).deletedCount === 1,
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
