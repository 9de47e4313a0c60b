import {
  containsText,
  convertEach,
  defineModel,
  documentSchema,
  duplicateIndex,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import type { Seal } from '@panel/kit/process';
import { date, id, listOf, orNull, text } from '@panel/kit/records';
import type { PipelineStage } from 'mongoose';
import {
  type DatabaseHost,
  type DatabaseHostFields,
  databaseHostFields,
  type HostReport,
} from '../../domain/databases/database.js';
import { fail } from '../../reasons.js';
import { maxQueryMs } from '../fields.js';
import { inMs, now } from '../expressions.js';
import { reseal } from '../reseal.js';

/** Tens of documents: not sharded. */
const hostSchema = documentSchema({
  ...databaseHostFields,
  nameKey: id,
  sealedPassword: id,
  /** Database ids; one conditional update enforces the maximum. */
  reservations: listOf(text),
  /** The process that moves it makes the comparison. */
  checkDueAt: date,
  /** Its databases are being forgotten; it takes no new ones. */
  removingAt: orNull(date),
});

hostSchema.index({ nameKey: 1 }, { name: 'database_host_name', unique: true });
hostSchema.index({ createdAt: 1, _id: 1 }, { name: 'database_host_created' });
hostSchema.index({ checkDueAt: 1 }, { name: 'database_host_check_due' });

export interface DatabaseHostStore {
  /** Throws DATABASE_HOST_NAME_TAKEN. */
  create(id: string, fields: DatabaseHostFields, version: string, at: Date): Promise<void>;
  get(hostId: string): Promise<DatabaseHost | null>;
  getMany(hostIds: readonly string[]): Promise<DatabaseHost[]>;
  /** Those that take databases. */
  all(): Promise<DatabaseHost[]>;
  /** By node if set. */
  list(page: PageQuery, nodeId: string): Promise<{ hosts: DatabaseHost[]; total: number }>;
  /** False: not found. Throws DATABASE_HOST_NAME_TAKEN. */
  update(hostId: string, fields: Partial<DatabaseHostFields> & { version?: string }, at: Date): Promise<boolean>;
  /** False: not found, or it has databases. */
  delete(hostId: string): Promise<boolean>;
  /** From here it takes no new databases. False: not found. */
  beginRemoval(hostId: string, at: Date): Promise<boolean>;
  removing(): Promise<string[]>;
  /** With the places of its databases. */
  completeRemoval(hostId: string): Promise<void>;
  /** False: full or not found. Idempotent. */
  reserve(hostId: string, databaseId: string): Promise<boolean>;
  release(hostId: string, databaseId: string): Promise<void>;
  claimChecks(intervalMs: number): Promise<DatabaseHost[]>;
  saveReport(hostId: string, report: HostReport): Promise<void>;
  /** With the newest secret. Resolves with the count. */
  sealPasswords(): Promise<number>;
}

const noReport: HostReport = {
  checkedAt: null,
  isReachable: true,
  error: null,
  orphanDatabases: [],
  orphanUsers: [],
  missingDatabases: [],
};

/** Binds a sealed password to its host. */
const aadOf = (hostId: string) => `database_host ${hostId} password`;

const notRemoving = { removingAt: null };

const withCount: PipelineStage[] = [
  { $addFields: { databasesCount: { $size: '$reservations' } } },
  { $project: { reservations: 0, nameKey: 0, checkDueAt: 0, removingAt: 0 } },
];

type HostRow = Omit<DatabaseHost, 'id' | 'password'> & { _id: string; sealedPassword: string };

export function createDatabaseHostStore(connection: MongoConnection, seal: Seal): DatabaseHostStore {
  const model = defineModel(connection, 'DatabaseHost', hostSchema, 'database_hosts');
  const read = async (stages: PipelineStage[]): Promise<DatabaseHost[]> => {
    const rows = await model.aggregate<HostRow>([...stages, ...withCount]).option({ maxTimeMS: maxQueryMs });
    return convertEach(rows, ({ _id, sealedPassword, ...fields }) => ({
      id: _id,
      ...fields,
      password: seal.open(sealedPassword, aadOf(_id)),
    }));
  };
  return {
    create: async (id, { password, ...fields }, version, at) => {
      const own = { version, nameKey: fields.name.toLowerCase(), sealedPassword: seal.seal(password, aadOf(id)) };
      const fresh = { reservations: [], report: noReport, checkDueAt: at, removingAt: null };
      const times = { createdAt: at, updatedAt: at };
      await mapDuplicateName(
        model.create({ _id: id, ...fields, nodeIds: [...fields.nodeIds], ...own, ...fresh, ...times }),
      );
    },
    get: async (hostId) => (await read([{ $match: { _id: hostId } }]))[0] ?? null,
    getMany: (hostIds) => read([{ $match: { _id: { $in: [...hostIds] } } }]),
    all: async () => (await read([{ $match: notRemoving }])).filter((host) => 'engine' in host),
    list: async (page, nodeId) => {
      const named = page.search === '' ? {} : { name: containsText(page.search) };
      const ofNode = nodeId === '' ? {} : { $or: [{ nodeIds: nodeId }, { nodeIds: { $size: 0 } }] };
      const filter = { ...named, ...ofNode };
      const [hosts, total] = await Promise.all([
        read([{ $match: filter }, { $sort: page.sort }, { $skip: page.skip }, { $limit: page.perPage }]),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { hosts, total };
    },
    update: async (hostId, { password, nodeIds, ...fields }, at) => {
      const $set = {
        ...fields,
        ...(nodeIds === undefined ? {} : { nodeIds: [...nodeIds] }),
        ...(fields.name === undefined ? {} : { nameKey: fields.name.toLowerCase() }),
        ...(password === undefined ? {} : { sealedPassword: seal.seal(password, aadOf(hostId)) }),
        checkDueAt: at,
        updatedAt: at,
      };
      return (await mapDuplicateName(model.updateOne({ _id: hostId }, { $set }))).matchedCount === 1;
    },
    delete: async (hostId) => (await model.deleteOne({ _id: hostId, reservations: { $size: 0 } })).deletedCount === 1,
    beginRemoval: async (hostId, at) =>
      (await model.updateOne({ _id: hostId }, { $set: { removingAt: at } })).matchedCount === 1,
    removing: async () => {
      const found = await model
        .find({ removingAt: { $type: 'date' } }, { _id: 1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.map(({ _id }) => _id);
    },
    completeRemoval: async (hostId) => void (await model.deleteOne({ _id: hostId, removingAt: { $type: 'date' } })),
    reserve: async (hostId, databaseId) => {
      const hasRoom = {
        $or: [{ $eq: ['$maxDatabases', null] }, { $lt: [{ $size: '$reservations' }, '$maxDatabases'] }],
      };
      const { modifiedCount } = await model.updateOne(
        { _id: hostId, ...notRemoving, reservations: { $ne: databaseId }, $expr: hasRoom },
        { $push: { reservations: databaseId } },
      );
      if (modifiedCount === 1) return true;
      return (await model.exists({ _id: hostId, ...notRemoving, reservations: databaseId })) !== null;
    },
    release: async (hostId, databaseId) =>
      void (await model.updateOne({ _id: hostId }, { $pull: { reservations: databaseId } })),
    claimChecks: async (intervalMs) => {
      const isDue = { $expr: { $lte: ['$checkDueAt', now] } };
      const due = await model.find(isDue, { _id: 1 }).maxTimeMS(maxQueryMs).lean();
      const claimed: string[] = [];
      for (const { _id } of due) {
        const set = [{ $set: { checkDueAt: inMs(intervalMs) } }];
        const result = await model.updateOne({ _id, ...isDue }, set, { updatePipeline: true });
        if (result.modifiedCount === 1) claimed.push(_id);
      }
      return claimed.length === 0 ? [] : read([{ $match: { _id: { $in: claimed } } }]);
    },
    saveReport: async (hostId, report) => void (await model.updateOne({ _id: hostId }, { $set: { report } })),
    sealPasswords: async () => {
      const found = await model.find({}, { sealedPassword: 1 }).lean();
      const texts = found.map(({ _id, sealedPassword: sealed }) => ({
        sealed,
        aad: aadOf(_id),
        replace: async (sealedPassword: string) =>
          model.updateOne({ _id, sealedPassword: sealed }, { $set: { sealedPassword } }),
      }));
      return reseal(seal, texts);
    },
  };
}

async function mapDuplicateName<T>(write: Promise<T> | PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (duplicateIndex(error) !== 'database_host_name') throw error;
    throw fail('DATABASE_HOST_NAME_TAKEN', 'another database host has this name', {}, { cause: error });
  }
}
