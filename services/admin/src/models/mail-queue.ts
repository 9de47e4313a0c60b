import { randomUUID } from 'node:crypto';
import { defineModel, documentSchema, duplicateIndex, maxQueryMs, type MongoConnection } from '@panel/kit/mongo';
import { date, id, number, oneOf, optional, orNull, text } from '@panel/kit/records';

/** Ended mails, and deduplication by event id. */
const retentionSeconds = 30 * 86_400;

/** Sharding: by _id (hashed); the worker queries all shards, one index lookup each. */
const mailSchema = documentSchema({
  id,
  to: id,
  /** BCP 47 tag. Absent: the panel's. */
  language: optional(text),
  /** Sealed; null once sent or given up. */
  content: orNull(text),
  state: oneOf(['waiting', 'sent', 'failed']),
  attempts: number,
  /** Next attempt; during an attempt, its timeout. */
  dueAt: date,
  /** Only the holder of the latest lease may end the attempt. */
  leaseId: orNull(text),
  createdAt: date,
  endedAt: optional(date),
  lastError: text,
});
mailSchema.index({ state: 1, dueAt: 1 }, { name: 'mail_due' });
mailSchema.index({ endedAt: 1 }, { name: 'mail_expiry', expireAfterSeconds: retentionSeconds });

export interface ClaimedMail {
  readonly id: string;
  readonly to: string;
  readonly language: string;
  readonly content: string;
  /** Includes the current attempt. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly leaseId: string;
}

export interface MailQueue {
  /** Idempotent by id. */
  add(mail: { id: string; to: string; language: string; content: string; now: Date }): Promise<void>;
  /** Longest due first, leased. Null: none due. */
  claim(now: Date, leaseMs: number): Promise<ClaimedMail | null>;
  /** No effect after a lost lease. */
  end(mail: ClaimedMail, state: 'sent' | 'failed', now: Date, error?: string): Promise<void>;
  /** No effect after a lost lease. */
  postpone(mail: ClaimedMail, dueAt: Date, error: string): Promise<void>;
}

export function createMailQueue(connection: MongoConnection): MailQueue {
  const model = defineModel(connection, 'Mail', mailSchema, 'mails');
  return {
    add: async ({ id, to, language, content, now }) => {
      const waiting = { state: 'waiting', attempts: 0, dueAt: now, createdAt: now } as const;
      try {
        await model.create({ _id: id, to, language, content, ...waiting });
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
      }
    },
    claim: async (now, leaseMs) => {
      const leaseId = randomUUID();
      const document = await model
        .findOneAndUpdate(
          { state: 'waiting', dueAt: { $lte: now } },
          { $set: { dueAt: new Date(now.getTime() + leaseMs), leaseId }, $inc: { attempts: 1 } },
          { sort: { dueAt: 1 }, returnDocument: 'after' },
        )
        .maxTimeMS(maxQueryMs)
        .lean();
      if (!document) return null;
      const { _id, to, language = '', content, attempts, createdAt } = document;
      return { id: _id, to, language, content: content ?? '', attempts, createdAt, leaseId };
    },
    end: async ({ id, leaseId }, state, now, error = '') => {
      await model
        .updateOne(
          { _id: id, leaseId, state: 'waiting' },
          { $set: { state, endedAt: now, lastError: error, content: null, leaseId: null } },
        )
        .maxTimeMS(maxQueryMs);
    },
    postpone: async ({ id, leaseId }, dueAt, error) => {
      await model
        .updateOne({ _id: id, leaseId, state: 'waiting' }, { $set: { dueAt, lastError: error, leaseId: null } })
        .maxTimeMS(maxQueryMs);
    },
  };
}
