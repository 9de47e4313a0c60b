import {
  BatchedReads,
  containsText,
  createRecordMapper,
  defineModel,
  documentSchema,
  maxQueryMs,
  type MongoConnection,
  type PageQuery,
  type Stored,
} from '@panel/kit/mongo';
import { type ActiveSessions, sessionFields, type SessionRecord } from '../domain/session.js';
import { findPage, type Page } from './find-page.js';

/** More than the sign-in rate limit allows within the relevant time. */
const maxRotations = 20;

/** Shard key: _id; lists by user are rare and may query all shards. */
const schema = documentSchema(sessionFields);
schema.index({ userId: 1, createdAt: 1 }, { name: 'sessions_user' });
schema.index({ expiresAt: 1 }, { name: 'sessions_expiry', expireAfterSeconds: 0 });

export interface Rotation {
  readonly id: string;
  readonly userId: string;
  readonly from: string;
  readonly to: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly expiresAt: Date;
  readonly now: Date;
}

const records = createRecordMapper<SessionRecord>();

export function createSessionStore(connection: MongoConnection) {
  const sessions = defineModel(connection, 'Session', schema, 'sessions');
  const reads = new BatchedReads(async (ids) =>
    records.byId(
      sessions
        .find({ _id: { $in: [...ids] } })
        .maxTimeMS(maxQueryMs)
        .lean<Stored<SessionRecord>[]>(),
    ),
  );
  return {
    insert: async (session: SessionRecord): Promise<void> => {
      await sessions.create(records.toDocument(session));
    },
    /** See BatchedReads. */
    findById: async (id: string): Promise<SessionRecord | null> => reads.read(id),
    /** False: `from` is no longer valid. */
    rotate: async (rotation: Rotation): Promise<boolean> => {
      const { id, userId, from, to, ip, userAgent, expiresAt, now } = rotation;
      const { matchedCount } = await sessions.updateOne(
        { _id: id, userId, refreshHash: from, expiresAt: { $gt: now } },
        {
          $set: { refreshHash: to, ip, userAgent, expiresAt, lastUsedAt: now, unconfirmedSince: now },
          $push: { rotated: { $each: [{ hash: from, at: now }], $slice: -maxRotations } },
        },
      );
      return matchedCount === 1;
    },
    /** The response with these tokens was sent. */
    confirmRotation: async (id: string, refreshHash: string): Promise<void> => {
      await sessions.updateOne({ _id: id, refreshHash }, { $set: { unconfirmedSince: null } });
    },
    /** One write per interval. */
    touch: async (id: string, now: Date, intervalMs: number): Promise<void> => {
      const before = new Date(now.getTime() - intervalMs);
      await sessions.updateOne({ _id: id, lastUsedAt: { $lt: before } }, { $set: { lastUsedAt: now } });
    },
    /** Removes sessions ended by a user change. */
    removeEnded: async (userId: string, sessionEpoch: number, retainedSessionId: string | null): Promise<void> => {
      await sessions.deleteMany({ userId, epoch: { $lt: sessionEpoch }, _id: { $ne: retainedSessionId ?? '' } });
    },
    removeOfUser: async (userId: string): Promise<void> => {
      await sessions.deleteMany({ userId });
    },
    /** False: not found. */
    remove: async (id: string, userId: string): Promise<boolean> => {
      const { deletedCount } = await sessions.deleteOne({ _id: id, userId });
      return deletedCount === 1;
    },
    list: async (active: ActiveSessions, page: PageQuery): Promise<Page<SessionRecord>> => {
      const filter = {
        ...activeFilter(active),
        ...(page.search === ''
          ? {}
          : { $and: [{ $or: [{ ip: containsText(page.search) }, { userAgent: containsText(page.search) }] }] }),
      };
      return findPage(sessions, records, filter, page);
    },
    /** Oldest active sessions beyond the newest `keep`. */
    removeOldest: async (active: ActiveSessions, keep: number): Promise<number> => {
      const surplus = await sessions
        .find(activeFilter(active), { _id: 1 })
        .sort({ createdAt: -1, _id: -1 })
        .skip(keep)
        .lean<{ _id: string }[]>();
      if (surplus.length === 0) return 0;
      const { deletedCount } = await sessions.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } });
      return deletedCount;
    },
  };
}

function activeFilter({ userId, sessionEpoch, retainedSessionId, keyId, now }: ActiveSessions) {
  const epochs = retainedSessionId === null ? [] : [{ _id: retainedSessionId }];
  return { userId, keyId, expiresAt: { $gt: now }, $or: [{ epoch: sessionEpoch }, ...epochs] };
}
