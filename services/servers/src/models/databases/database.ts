import {
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  duplicateIndex,
  type MongoConnection,
} from '@panel/kit/mongo';
import type { Seal } from '@panel/kit/process';
import { count, date, id, orNull, text } from '@panel/kit/records';
import type { QueryFilter } from 'mongoose';
import { databaseFields, type ServerDatabase } from '../../domain/databases/database.js';
import { fail } from '../../reasons.js';
import { maxQueryMs } from '../fields.js';
import { inMs, now, value } from '../expressions.js';
import { reseal } from '../reseal.js';

/** Shard key: serverId. */
const databaseSchema = documentSchema({
  ...databaseFields,
  /** Lower case: some hosts ignore case. */
  nameKey: id,
  sealedPassword: id,
  sealedPendingPassword: orNull(text),
  /** Of the next claim (the end of a current lease); null: no work. */
  dueAt: orNull(date),
  /** Grows with every claim: rejects writes of earlier workers. */
  fence: count,
});
type DatabaseDocument = DocumentOf<typeof databaseSchema>;
const sealedFields = ['sealedPassword', 'sealedPendingPassword'] as const;
databaseSchema.index({ hostId: 1, nameKey: 1 }, { name: 'database_host_name_key', unique: true });
databaseSchema.index({ serverId: 1, createdAt: 1 }, { name: 'database_server' });
databaseSchema.index({ dueAt: 1 }, { name: 'database_due', partialFilterExpression: { dueAt: { $type: 'date' } } });

export interface DatabaseLease {
  readonly databaseId: string;
  readonly fence: number;
}

export interface ClaimedDatabase {
  readonly database: ServerDatabase;
  readonly lease: DatabaseLease;
}

type DatabaseRef = Pick<ServerDatabase, 'id' | 'serverId' | 'name'>;

export interface DatabaseStore {
  /** Throws DATABASE_NAME_TAKEN. */
  create(database: ServerDatabase, leaseMs: number): Promise<DatabaseLease>;
  get(databaseId: string): Promise<ServerDatabase | null>;
  ofServer(serverId: string): Promise<ServerDatabase[]>;
  ofHost(hostId: string): Promise<ServerDatabase[]>;
  /** Also of damaged records. */
  refsOfHost(hostId: string): Promise<DatabaseRef[]>;
  due(limit: number): Promise<string[]>;
  /** Null while another process has it. */
  claim(databaseId: string, leaseMs: number): Promise<ClaimedDatabase | null>;
  /** For its deletion, which is final. Null, and unchanged: another process has it, or it is gone. */
  claimDeletion(databaseId: string, leaseMs: number): Promise<ClaimedDatabase | null>;
  /** False: ended or lost. */
  renew(lease: DatabaseLease, leaseMs: number): Promise<boolean>;
  /** Remaining work is due after `retryMs`. */
  release(lease: DatabaseLease, retryMs: number): Promise<void>;
  markOnHost(lease: DatabaseLease): Promise<boolean>;
  /** False: marked for deletion or lost. */
  activate(lease: DatabaseLease): Promise<boolean>;
  /** False: inactive or lost. */
  beginRotation(lease: DatabaseLease, password: string): Promise<boolean>;
  commitRotation(lease: DatabaseLease): Promise<boolean>;
  cancelRotation(lease: DatabaseLease): Promise<void>;
  /** False: not found. A current worker fails at its next write. */
  markDeleting(databaseId: string): Promise<boolean>;
  markServerDeleting(serverId: string): Promise<void>;
  setSize(databaseId: string, sizeBytes: number): Promise<void>;
  delete(lease: DatabaseLease): Promise<void>;
  /** In any state. A current worker fails at its next write. */
  forget(databaseId: string): Promise<void>;
  /** With the newest secret. Resolves with the count. */
  sealPasswords(): Promise<number>;
}

/** Binds a sealed password to its database. */
const aadOf = (databaseId: string) => `database ${databaseId} password`;
const held = ({ databaseId, fence }: DatabaseLease) => ({ _id: databaseId, fence });

export function createDatabaseStore(connection: MongoConnection, seal: Seal): DatabaseStore {
  const model = defineModel(connection, 'Database', databaseSchema, 'databases');
  const opened = (document: DatabaseDocument): ServerDatabase => {
    const { _id, nameKey: _key, sealedPassword, sealedPendingPassword, dueAt: _due, fence: _fence, ...rest } = document;
    const pendingPassword = sealedPendingPassword === null ? null : seal.open(sealedPendingPassword, aadOf(_id));
    return { id: _id, ...rest, password: seal.open(sealedPassword, aadOf(_id)), pendingPassword };
  };
  const find = async (filter: QueryFilter<DatabaseDocument>) =>
    convertEach(await model.find(filter).sort({ createdAt: 1, _id: 1 }).maxTimeMS(maxQueryMs).lean(), opened);
  /** Times come from the database's clock. */
  const change = async (filter: QueryFilter<DatabaseDocument>, set: Readonly<Record<string, unknown>>) => {
    const stages = [{ $set: { ...set, updatedAt: now } }];
    return (await model.updateOne(filter, stages, { updatePipeline: true })).matchedCount === 1;
  };
  const claim = async (databaseId: string, leaseMs: number, changes: Readonly<Record<string, unknown>>) => {
    const filter = { _id: databaseId, $or: [{ dueAt: null }, { $expr: { $lte: ['$dueAt', now] } }] };
    const stages = [{ $set: { ...changes, dueAt: inMs(leaseMs), fence: { $add: ['$fence', 1] } } }];
    const found = await model
      .findOneAndUpdate(filter, stages as never, { returnDocument: 'after', updatePipeline: true })
      .lean();
    return found && { database: opened(found), lease: { databaseId, fence: found.fence } };
  };
  const deleting = { state: 'deleting', dueAt: { $ifNull: ['$dueAt', now] } };
  return {
    create: async ({ id, password, pendingPassword: _pending, ...fields }, leaseMs) => {
      if (password === null) throw new TypeError('a new database has a password');
      const sealed = { sealedPassword: seal.seal(password, aadOf(id)), sealedPendingPassword: null };
      const dueAt = new Date(fields.createdAt.getTime() + leaseMs);
      try {
        await model.create({ _id: id, ...fields, nameKey: fields.name.toLowerCase(), ...sealed, dueAt, fence: 1 });
      } catch (error) {
        if (duplicateIndex(error) !== 'database_host_name_key') throw error;
        throw fail('DATABASE_NAME_TAKEN', 'the server has a database of this name', {}, { cause: error });
      }
      return { databaseId: id, fence: 1 };
    },
    get: async (databaseId) => {
      const found = await model.findById(databaseId).maxTimeMS(maxQueryMs).lean();
      return found && opened(found);
    },
    ofServer: (serverId) => find({ serverId }),
    ofHost: async (hostId) => (await find({ hostId })).filter((database) => 'name' in database),
    refsOfHost: async (hostId) => {
      const found = await model.find({ hostId }, { serverId: 1, name: 1 }).maxTimeMS(maxQueryMs).lean();
      return found.map(({ _id, serverId, name }) => ({ id: _id, serverId, name }));
    },
    due: async (limit) => {
      const filter = { dueAt: { $type: 'date' }, $expr: { $lte: ['$dueAt', now] } } as QueryFilter<DatabaseDocument>;
      const found = await model.find(filter, { _id: 1 }).sort({ dueAt: 1 }).limit(limit).maxTimeMS(maxQueryMs).lean();
      return found.map(({ _id }) => _id);
    },
    claim: (databaseId, leaseMs) => claim(databaseId, leaseMs, {}),
    claimDeletion: (databaseId, leaseMs) => claim(databaseId, leaseMs, { state: 'deleting', updatedAt: now }),
    renew: (lease, leaseMs) => change({ ...held(lease), dueAt: { $type: 'date' } }, { dueAt: inMs(leaseMs) }),
    release: async (lease, retryMs) => {
      const isIdle = { $and: [{ $eq: ['$state', 'active'] }, { $eq: ['$sealedPendingPassword', null] }] };
      await change(held(lease), { dueAt: { $cond: [isIdle, null, inMs(retryMs)] } });
    },
    markOnHost: (lease) => change({ ...held(lease), state: 'creating' }, { isOnHost: true }),
    activate: (lease) => change({ ...held(lease), state: 'creating' }, { state: 'active', dueAt: null }),
    beginRotation: (lease, password) => {
      const sealed = seal.seal(password, aadOf(lease.databaseId));
      return change({ ...held(lease), state: 'active' }, { sealedPendingPassword: value(sealed) });
    },
    commitRotation: (lease) =>
      change(
        { ...held(lease), state: 'active', sealedPendingPassword: { $type: 'string' } },
        { sealedPassword: '$sealedPendingPassword', sealedPendingPassword: null, dueAt: null },
      ),
    cancelRotation: async (lease) =>
      void (await change({ ...held(lease), state: 'active' }, { sealedPendingPassword: null, dueAt: null })),
    markDeleting: async (databaseId) =>
      (await change({ _id: databaseId, state: { $ne: 'deleting' } }, deleting)) ||
      (await model.exists({ _id: databaseId })) !== null,
    markServerDeleting: async (serverId) => {
      const stages = [{ $set: { ...deleting, updatedAt: now } }];
      const filter = { serverId, state: { $ne: 'deleting' } } as QueryFilter<DatabaseDocument>;
      await model.updateMany(filter, stages, { updatePipeline: true });
    },
    setSize: async (databaseId, sizeBytes) =>
      void (await model.updateOne({ _id: databaseId }, { $set: { sizeBytes } })),
    delete: async (lease) => void (await model.deleteOne(held(lease))),
    forget: async (databaseId) => void (await model.deleteOne({ _id: databaseId })),
    sealPasswords: async () => {
      const found = await model.find({}, { sealedPassword: 1, sealedPendingPassword: 1 }).lean();
      const texts = found.flatMap((document) =>
        sealedFields.flatMap((field) => {
          const { _id, [field]: sealed } = document;
          const replace = async (resealed: string) =>
            model.updateOne({ _id, [field]: sealed }, { $set: { [field]: resealed } });
          return sealed === null ? [] : [{ sealed, aad: aadOf(_id), replace }];
        }),
      );
      return reseal(seal, texts);
    },
  };
}
