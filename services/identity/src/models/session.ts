import { defineModel, type MongoConnection, type PageQuery, schemaOptions } from '@panel/kit';
import { Schema } from 'mongoose';

/**
 * One sign-in: a family of refresh tokens of which only the youngest is alive. Shard key: _id; listing by user is rare
 * and may ask all shards.
 */
export interface SessionDocument {
  readonly _id: string;
  readonly userId: string;
  /** The user's `sessionEpoch` when it was opened. */
  readonly epoch: number;
  /** Names the JWT_SECRET its tokens are signed with. */
  readonly keyId: string;
  /** Hash of the one living refresh token's id. */
  readonly refreshHash: string;
  /** The last rotations, oldest first, to tell a double click from a theft. */
  readonly rotated: readonly { readonly hash: string; readonly at: Date }[];
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** Rotations remembered: more than sign-in's rate limit lets through within the time they matter. */
const rememberedRotations = 20;

const schema = new Schema<SessionDocument>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    epoch: { type: Number, required: true },
    keyId: { type: String, required: true },
    refreshHash: { type: String, required: true },
    rotated: { type: [{ _id: false, hash: String, at: Date }], required: true },
    ip: { type: String, required: true },
    userAgent: { type: String, default: '' },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  schemaOptions,
);
schema.index({ userId: 1, createdAt: 1 }, { name: 'sessions_user' });
schema.index({ expiresAt: 1 }, { name: 'sessions_expiry', expireAfterSeconds: 0 });

/** Whose sessions, and what makes one of them alive now. */
export interface LivingSessions {
  readonly userId: string;
  readonly sessionEpoch: number;
  readonly keptSessionId: string | null;
  readonly keyId: string;
  readonly now: Date;
}

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

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(connection: MongoConnection) {
  const sessions = defineModel(connection, 'Session', schema, 'sessions');
  return {
    insert: async (session: SessionDocument): Promise<void> => {
      await sessions.create(session);
    },
    findById: async (id: string): Promise<SessionDocument | null> => sessions.findById(id).lean<SessionDocument>(),
    /** Replace the refresh token, if `from` is still the living one. Whether it was. */
    rotate: async (rotation: Rotation): Promise<boolean> => {
      const { id, userId, from, to, ip, userAgent, expiresAt, now } = rotation;
      const { matchedCount } = await sessions.updateOne(
        { _id: id, userId, refreshHash: from, expiresAt: { $gt: now } },
        {
          $set: { refreshHash: to, ip, userAgent, expiresAt, lastUsedAt: now },
          $push: { rotated: { $each: [{ hash: from, at: now }], $slice: -rememberedRotations } },
        },
      );
      return matchedCount === 1;
    },
    /** Note that a session is in use; at most one write for all who try within the interval. */
    touch: async (id: string, now: Date, intervalMs: number): Promise<void> => {
      const before = new Date(now.getTime() - intervalMs);
      await sessions.updateOne({ _id: id, lastUsedAt: { $lt: before } }, { $set: { lastUsedAt: now } });
    },
    /** Clear away sessions that a change of their user has ended. */
    removeEnded: async (userId: string, sessionEpoch: number, keptSessionId: string | null): Promise<void> => {
      await sessions.deleteMany({ userId, epoch: { $lt: sessionEpoch }, _id: { $ne: keptSessionId ?? '' } });
    },
    removeOfUser: async (userId: string): Promise<void> => {
      await sessions.deleteMany({ userId });
    },
    /** Whether it was there. */
    remove: async (id: string, userId: string): Promise<boolean> => {
      const { deletedCount } = await sessions.deleteOne({ _id: id, userId });
      return deletedCount === 1;
    },
    list: async (living: LivingSessions, page: PageQuery): Promise<{ items: SessionDocument[]; total: number }> => {
      const filter = livingFilter(living);
      const [items, total] = await Promise.all([
        sessions.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).lean<SessionDocument[]>(),
        sessions.countDocuments(filter),
      ]);
      return { items, total };
    },
    /** End a user's oldest living sessions beyond the newest `keep`. */
    removeOldest: async (living: LivingSessions, keep: number): Promise<number> => {
      const surplus = await sessions
        .find(livingFilter(living), { _id: 1 })
        .sort({ createdAt: -1, _id: -1 })
        .skip(keep)
        .lean<{ _id: string }[]>();
      if (surplus.length === 0) return 0;
      const { deletedCount } = await sessions.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } });
      return deletedCount;
    },
  };
}

function livingFilter({ userId, sessionEpoch, keptSessionId, keyId, now }: LivingSessions) {
  const epochs = keptSessionId === null ? [] : [{ _id: keptSessionId }];
  return { userId, keyId, expiresAt: { $gt: now }, $or: [{ epoch: sessionEpoch }, ...epochs] };
}
