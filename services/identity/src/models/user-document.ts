import { createRecordMapper, defineModel, type MongoConnection, schemaOptions, type Stored } from '@panel/kit/mongo';
import { defineEmbeddedOutbox, type EmbeddedOutbox } from '@panel/outbox';
import { Schema } from 'mongoose';
import type { MailPayload } from '../domain/outbox.js';
import type { TwoFactor, UserRecord } from '../domain/user.js';

/** Bounded: links replace each other, address changes are limited. Reads omit it. */
export const mailOutbox = defineEmbeddedOutbox<MailPayload>('outbox', { capacity: 50, dropsOldest: true });

/** Shard key: _id, in every frequent query; unique indexes serve sign-in only. */
export interface UserDocument extends Stored<UserRecord> {
  readonly outbox?: EmbeddedOutbox<MailPayload>;
}

export const userRecords = createRecordMapper<UserRecord>();

export const usersCollection = 'users';

const part = { _id: false, strict: 'throw' } as const;
const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;

const twoFactor = new Schema<TwoFactor>(
  { secret: text, lastStep: { type: Number, required: true }, recoveryHashes: [String], enabledAt: date },
  part,
);
const schema = new Schema<UserDocument>(
  {
    _id: text,
    email: text,
    isEmailUnproven: { type: Boolean },
    username: text,
    usernameKey: text,
    firstName: { type: String, default: '' },
    lastName: { type: String, default: '' },
    language: text,
    roleId: text,
    adminToken: { type: String, default: null },
    passwordHash: { type: String, default: null },
    sessionEpoch: { type: Number, required: true },
    keptSessionId: { type: String, default: null },
    twoFactor: { type: twoFactor, default: null },
    twoFactorSetup: { type: new Schema({ secret: text, startedAt: date }, part), default: null },
    passwordReset: { type: new Schema({ hash: text, expiresAt: date }, part), default: null },
    knownIps: { type: [String], default: [] },
    externalId: { type: String, default: null },
    isBootstrap: { type: Boolean },
    deletion: { type: new Schema({ state: text, at: date }, part), default: null },
    lastLoginAt: { type: Date, default: null },
    createdAt: date,
    updatedAt: date,
    [mailOutbox.field]: mailOutbox.schemaType,
  },
  schemaOptions,
);
schema.index({ email: 1 }, { name: 'users_email', unique: true });
schema.index({ usernameKey: 1 }, { name: 'users_username', unique: true });
schema.index(
  { externalId: 1 },
  { name: 'users_external_id', unique: true, partialFilterExpression: { externalId: { $type: 'string' } } },
);
schema.index(
  { isBootstrap: 1 },
  { name: 'users_bootstrap', unique: true, partialFilterExpression: { isBootstrap: true } },
);
schema.index({ roleId: 1, createdAt: 1 }, { name: 'users_role' });
schema.index({ createdAt: 1 }, { name: 'users_created' });
schema.index(
  { 'passwordReset.hash': 1 },
  { name: 'users_password_reset', partialFilterExpression: { 'passwordReset.hash': { $type: 'string' } } },
);
mailOutbox.addIndexes(schema, 'users_outbox');
schema.index(
  { 'deletion.at': 1 },
  { name: 'users_deletion', partialFilterExpression: { 'deletion.state': 'decided' } },
);

/** Shared by several stores. */
export function defineUserModel(connection: MongoConnection) {
  return defineModel(connection, 'User', schema, usersCollection);
}

export type UserModel = ReturnType<typeof defineUserModel>;

/** Excludes decided deletions. */
export const notDeleted = { 'deletion.state': { $ne: 'decided' } } as const;
