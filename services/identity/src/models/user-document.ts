import {
  createRecordMapper,
  defineModel,
  type DocumentOf,
  documentSchema,
  type MongoConnection,
} from '@panel/kit/mongo';
import { defineEmbeddedOutbox } from '@panel/outbox';
import type { MailPayload } from '../domain/outbox.js';
import { userFields, type UserRecord } from '../domain/user.js';

/** Bounded: links replace each other, address changes are limited. Reads omit it. */
export const mailOutbox = defineEmbeddedOutbox<MailPayload>('outbox', { capacity: 50, dropsOldest: true });

export const userRecords = createRecordMapper<UserRecord>();

export const usersCollection = 'users';

/** Shard key: _id, in every frequent query; unique indexes serve sign-in only. */
const schema = documentSchema({
  ...userFields,
  outbox: mailOutbox.schemaType,
});
export type UserDocument = DocumentOf<typeof schema>;
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
