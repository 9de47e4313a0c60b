import { defineModel, duplicateIndex, type MongoConnection, schemaOptions } from '@panel/kit';
import { Schema } from 'mongoose';
import { usernameKey } from '../domain/normalise.js';
import { fail } from '../reasons.js';

/** A person with an account. Shard key: _id (every hot query has it; the unique indexes are looked up at sign-in only). */
export interface UserDocument {
  readonly _id: string;
  /** Normalised, unique. */
  readonly email: string;
  readonly username: string;
  /** The username as uniqueness sees it. */
  readonly usernameKey: string;
  readonly firstName: string;
  readonly lastName: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly roleId: string;
  /** argon2id; null for somebody who has not chosen a password yet. */
  readonly passwordHash: string | null;
  /**
   * Sessions carry the epoch they were opened in and are over in any other, but for `keptSessionId`. So one atomic update
   * of this document changes a password and ends every other session, whatever is under way elsewhere.
   */
  readonly sessionEpoch: number;
  readonly keptSessionId: string | null;
  readonly externalId: string | null;
  /** True on the first admin only: a unique index keeps two launchers from making two. */
  readonly isBootstrap?: true;
  readonly lastLoginAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const schema = new Schema<UserDocument>(
  {
    _id: { type: String, required: true },
    email: { type: String, required: true },
    username: { type: String, required: true },
    usernameKey: { type: String, required: true },
    firstName: { type: String, default: '' },
    lastName: { type: String, default: '' },
    language: { type: String, required: true },
    roleId: { type: String, required: true },
    passwordHash: { type: String, default: null },
    sessionEpoch: { type: Number, required: true },
    keptSessionId: { type: String, default: null },
    externalId: { type: String, default: null },
    isBootstrap: { type: Boolean },
    lastLoginAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
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
schema.index({ roleId: 1 }, { name: 'users_role' });

/** What a new user is made of; the rest has its defaults. */
export type NewUser = Pick<UserDocument, '_id' | 'email' | 'username' | 'roleId' | 'passwordHash' | 'isBootstrap'> &
  Partial<Pick<UserDocument, 'firstName' | 'lastName' | 'language' | 'externalId'>>;

export type UserStore = ReturnType<typeof createUserStore>;

export function createUserStore(connection: MongoConnection) {
  const users = defineModel(connection, 'User', schema, 'users');
  return {
    /** Throws EMAIL_TAKEN or USERNAME_TAKEN. */
    insert: async (user: NewUser, now: Date): Promise<UserDocument> => {
      const document: UserDocument = {
        firstName: '',
        lastName: '',
        language: 'en',
        externalId: null,
        ...user,
        usernameKey: usernameKey(user.username),
        sessionEpoch: 1,
        keptSessionId: null,
        lastLoginAt: null,
        createdAt: now,
        updatedAt: now,
      };
      try {
        await users.create(document);
      } catch (error) {
        throw takenOr(error);
      }
      return document;
    },
    findById: async (id: string): Promise<UserDocument | null> => users.findById(id).lean<UserDocument>(),
    findByEmail: async (email: string): Promise<UserDocument | null> =>
      users.findOne({ email: { $eq: email } }).lean<UserDocument>(),
    findByRole: async (roleId: string): Promise<UserDocument | null> =>
      users.findOne({ roleId }).sort({ createdAt: 1 }).lean<UserDocument>(),
    /**
     * Record a sign-in by the password whose hash was `checkedHash`. Null when the password or the user has changed since
     * it was checked.
     */
    recordLogin: async (
      id: string,
      checkedHash: string | null,
      rehashed: string | null,
      now: Date,
    ): Promise<UserDocument | null> =>
      users
        .findOneAndUpdate(
          { _id: id, passwordHash: checkedHash },
          { $set: { lastLoginAt: now, ...(rehashed === null ? {} : { passwordHash: rehashed }) } },
          { returnDocument: 'after' },
        )
        .lean<UserDocument>(),
  };
}

/** The reason a unique index stands for, or the error itself. */
function takenOr(error: unknown): unknown {
  switch (duplicateIndex(error)) {
    case 'users_email':
      return fail('EMAIL_TAKEN', 'this e-mail address is taken', {}, { cause: error });
    case 'users_username':
      return fail('USERNAME_TAKEN', 'this username is taken', {}, { cause: error });
    case 'users_bootstrap':
      return fail('FIRST_ADMIN_EXISTS', 'the first admin was made a moment ago', {}, { cause: error });
    default:
      return error;
  }
}
