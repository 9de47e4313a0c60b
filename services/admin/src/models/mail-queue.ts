import { randomUUID } from 'node:crypto';
import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';

interface MailDocument {
  _id: string;
  to: string;
  /** What it says, sealed; gone when the mail is sent or given up. */
  content: string | null;
  state: 'waiting' | 'sent' | 'failed';
  attempts: number;
  /** When to try next; during an attempt, when it counts as lost. */
  dueAt: Date;
  /** Of the try in progress: only the holder of the latest lease may say how it ended. */
  leaseId: string | null;
  createdAt: Date;
  endedAt?: Date | undefined;
  lastError: string;
}

const required = { required: true } as const;
/** How long an ended mail is remembered; as long is a repeated event id recognised. */
const retentionSeconds = 30 * 86_400;

/** Sharding: by _id (hashed); the worker's query goes to all shards, which is one index lookup each. */
const mailSchema = new Schema<MailDocument>(
  {
    _id: { type: String, ...required },
    to: { type: String, ...required },
    content: { type: String, default: null },
    state: { type: String, enum: ['waiting', 'sent', 'failed'], ...required },
    attempts: { type: Number, ...required },
    dueAt: { type: Date, ...required },
    leaseId: { type: String, default: null },
    createdAt: { type: Date, ...required },
    endedAt: Date,
    lastError: { type: String, default: '' },
  },
  schemaOptions,
);
mailSchema.index({ state: 1, dueAt: 1 }, { name: 'mail_due' });
mailSchema.index({ endedAt: 1 }, { name: 'mail_expiry', expireAfterSeconds: retentionSeconds });

/** A mail that is being sent. */
export interface ClaimedMail {
  readonly id: string;
  readonly to: string;
  readonly content: string;
  /** This try included. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly leaseId: string;
}

/** Mails waiting to be sent. */
export interface MailQueue {
  /** Put a mail in unless its id is known already. */
  add(mail: { id: string; to: string; content: string; now: Date }): Promise<void>;
  /** Take the mail that is due longest; others leave it alone until the lease ends. Null when none is due. */
  claim(now: Date, leaseMs: number): Promise<ClaimedMail | null>;
  /** The mail has been sent, or never will be. Changes nothing when the lease was lost. */
  end(mail: ClaimedMail, state: 'sent' | 'failed', now: Date, error?: string): Promise<void>;
  /** Try again later. Changes nothing when the lease was lost. */
  postpone(mail: ClaimedMail, dueAt: Date, error: string): Promise<void>;
}

export function createMailQueue(connection: MongoConnection): MailQueue {
  const model = defineModel(connection, 'Mail', mailSchema, 'mails');
  return {
    add: async ({ id, to, content, now }) => {
      try {
        await model.create({ _id: id, to, content, state: 'waiting', attempts: 0, dueAt: now, createdAt: now });
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
      const { _id, to, content, attempts, createdAt } = document;
      return { id: _id, to, content: content ?? '', attempts, createdAt, leaseId };
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
