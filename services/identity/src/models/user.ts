import { BatchedReads, containsText, duplicateIndex, maxQueryMs, type PageQuery, type Stored } from '@panel/kit/mongo';
import type { OutboxEntry } from '@panel/outbox';
import { usernameKey } from '../domain/normalise.js';
import type { MailPayload } from '../domain/outbox.js';
import type { NewUser, UserChanges, UserFilter, UserGuard, UserRecord } from '../domain/user.js';
import { fail } from '../reasons.js';
import { findPage, type Page } from './find-page.js';
import { mailOutbox, notDeleted, userRecords, type UserModel } from './user-document.js';

export interface LoginRecord {
  readonly ip: string;
  readonly now: Date;
}

const maxKnownIps = 10;

export type UserStore = ReturnType<typeof createUserStore>;

export function createUserStore(users: UserModel) {
  const findOne = async (filter: object): Promise<UserRecord | null> =>
    userRecords.one(users.findOne({ ...filter, ...notDeleted }, mailOutbox.excluded).lean<Stored<UserRecord>>());
  const find = (filter: object) =>
    users.find({ ...filter, ...notDeleted }, mailOutbox.excluded).lean<Stored<UserRecord>[]>();
  const findByIds = (ids: readonly string[]) => find({ _id: { $in: [...ids] } });
  const reads = new BatchedReads(async (ids) => userRecords.byId(findByIds(ids).maxTimeMS(maxQueryMs)));
  const change = async (filter: object, update: object): Promise<UserRecord | null> => {
    try {
      return await userRecords.one(
        users
          .findOneAndUpdate({ ...notDeleted, ...filter }, update, {
            returnDocument: 'after',
            projection: mailOutbox.excluded,
          })
          .lean<Stored<UserRecord>>(),
      );
    } catch (error) {
      throw mapDuplicateKey(error);
    }
  };
  return {
    /** Throws EMAIL_TAKEN, USERNAME_TAKEN, EXTERNAL_ID_TAKEN, FIRST_ADMIN_EXISTS. */
    insert: async (user: NewUser, now: Date, mail?: OutboxEntry<MailPayload>): Promise<UserRecord> => {
      const record = newRecord(user, now);
      const document = userRecords.toDocument(record);
      try {
        await users.create(mail ? { ...document, [mailOutbox.field]: mailOutbox.initial([mail]) } : document);
      } catch (error) {
        throw mapDuplicateKey(error);
      }
      return record;
    },
    /** See BatchedReads. */
    findById: async (id: string): Promise<UserRecord | null> => reads.read(id),
    findByIds: async (ids: readonly string[]): Promise<UserRecord[]> => userRecords.many(findByIds(ids)),
    findByEmail: async (email: string): Promise<UserRecord | null> => findOne({ email: { $eq: email } }),
    findByEmails: async (emails: readonly string[]): Promise<UserRecord[]> =>
      userRecords.many(find({ email: { $in: [...emails] } })),
    findByUsername: async (username: string): Promise<UserRecord | null> =>
      findOne({ usernameKey: { $eq: usernameKey(username) } }),
    /** Oldest first. */
    findByRole: async (roleId: string, limit: number): Promise<UserRecord[]> =>
      userRecords.many(find({ roleId }).sort({ createdAt: 1 }).limit(limit)),
    countByRole: async (roleId: string): Promise<number> => users.countDocuments({ roleId, ...notDeleted }),
    list: async (filter: UserFilter, page: PageQuery): Promise<Page<UserRecord>> =>
      findPage(users, userRecords, listFilter(filter, page.search), page, mailOutbox.excluded),
    /** Rehash of the same password. False: changed meanwhile. */
    renewHash: async (id: string, from: string, to: string): Promise<boolean> =>
      (await change({ _id: id, passwordHash: from }, { $set: { passwordHash: to } })) !== null,
    /** Null: not found, or sessions ended since `epoch` was read. */
    recordLogin: async (id: string, epoch: number, { ip, now }: LoginRecord): Promise<UserRecord | null> => {
      const isSame = { _id: id, sessionEpoch: epoch };
      const set = { lastLoginAt: now };
      const knownIps = { $each: [ip], $slice: -maxKnownIps };
      return (
        (await change({ ...isSame, knownIps: ip }, { $set: set })) ?? change(isSame, { $set: set, $push: { knownIps } })
      );
    },
    /** Null: `guard` failed. Throws as `insert`. */
    update: async (
      id: string,
      guard: UserGuard,
      changes: UserChanges,
      now: Date,
      mail?: OutboxEntry<MailPayload>,
    ): Promise<UserRecord | null> => {
      const key = changes.username === undefined ? {} : { usernameKey: usernameKey(changes.username) };
      // A link sent to the old address must not open the account.
      const links = changes.email === undefined ? {} : { passwordReset: null };
      const proof = changes.email === undefined ? {} : { isEmailUnproven: changes.isEmailUnproven ?? false };
      const set = { ...changes, ...key, ...links, ...proof, updatedAt: now };
      const append = mail && mailOutbox.append(mail);
      const update = append ? { $set: { ...set, ...append.$set }, $push: append.$push } : { $set: set };
      return change({ _id: id, ...guard }, update);
    },
    /** Ends all sessions but `keep`. Null: the password changed since `guard`. */
    setPassword: async (
      id: string,
      guard: UserGuard,
      password: { readonly hash: string; readonly keepSessionId: string | null },
      now: Date,
    ): Promise<UserRecord | null> =>
      change({ _id: id, ...guard }, passwordUpdate(password.hash, password.keepSessionId, now)),
    /**
     * Consumes the latest link, which proves the address; `ip` becomes accepted during throttling. Null: not the latest
     * link, or expired.
     */
    setPasswordByLink: async (linkHash: string, hash: string, ip: string, now: Date): Promise<UserRecord | null> =>
      change(
        { 'passwordReset.hash': linkHash, 'passwordReset.expiresAt': { $gt: now } },
        withProvenEmail(passwordUpdate(hash, null, now), ip),
      ),
    findByLink: async (linkHash: string, now: Date): Promise<UserRecord | null> =>
      findOne({ 'passwordReset.hash': linkHash, 'passwordReset.expiresAt': { $gt: now } }),
    endSessions: async (id: string): Promise<UserRecord | null> =>
      change({ _id: id }, { $inc: { sessionEpoch: 1 }, $set: { retainedSessionId: null } }),
    /** Null: another request began less than `staleMs` ago. */
    claimDeletion: async (id: string, now: Date, staleMs: number): Promise<UserRecord | null> => {
      const stale = new Date(now.getTime() - staleMs);
      const free = [{ deletion: null }, { 'deletion.state': 'checking', 'deletion.at': { $lt: stale } }];
      return change({ _id: id, $or: free }, { $set: { deletion: { state: 'checking', at: now } } });
    },
    releaseDeletion: async (id: string, claimedAt: Date): Promise<void> => {
      await change({ _id: id, 'deletion.at': claimedAt }, { $set: { deletion: null } });
    },
    /** From here the user is deleted. False: claim lost, or `guard` failed. */
    commitDeletion: async (id: string, claimedAt: Date, guard: UserGuard): Promise<boolean> => {
      const claimed = { _id: id, 'deletion.state': 'checking', 'deletion.at': claimedAt };
      const decided = { $set: { 'deletion.state': 'decided' }, $unset: { isBootstrap: 1 } };
      return (await change({ ...claimed, ...guard }, decided)) !== null;
    },
    findDeleting: async (): Promise<string[]> => {
      const found = await users.find({ 'deletion.state': 'decided' }, { _id: 1 }).limit(100).lean<{ _id: string }[]>();
      return found.map(({ _id }) => _id);
    },
    removeDeleting: async (id: string): Promise<void> => {
      await users.deleteOne({ _id: id, 'deletion.state': 'decided' });
    },
  };
}

function newRecord(user: NewUser, now: Date): UserRecord {
  return {
    firstName: '',
    lastName: '',
    language: 'en',
    externalId: null,
    adminToken: null,
    passwordReset: null,
    ...user,
    usernameKey: usernameKey(user.username),
    sessionEpoch: 1,
    retainedSessionId: null,
    twoFactor: null,
    twoFactorSetup: null,
    knownIps: [],
    deletion: null,
    lastLoginAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

function passwordUpdate(hash: string, keepSessionId: string | null, now: Date) {
  return {
    $set: { passwordHash: hash, retainedSessionId: keepSessionId, passwordReset: null, updatedAt: now },
    $inc: { sessionEpoch: 1 },
  };
}

/** A mailed link proves the user's mailbox, at this address. */
function withProvenEmail(update: ReturnType<typeof passwordUpdate>, ip: string) {
  return {
    $set: { ...update.$set, isEmailUnproven: false },
    $inc: update.$inc,
    $push: { knownIps: { $each: [ip], $slice: -maxKnownIps } },
  };
}

const searched = ['email', 'username', 'firstName', 'lastName', 'externalId'] as const;

function listFilter({ roleId, hasTwoFactor, email, externalId }: UserFilter, search: string) {
  return {
    ...notDeleted,
    ...(roleId === undefined ? {} : { roleId }),
    ...(email === undefined ? {} : { email }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(hasTwoFactor === undefined ? {} : { twoFactor: hasTwoFactor ? { $ne: null } : null }),
    ...(search === '' ? {} : { $or: searched.map((field) => ({ [field]: containsText(search) })) }),
  };
}

/** Reason of the unique index, or the error itself. */
function mapDuplicateKey(error: unknown): unknown {
  switch (duplicateIndex(error)) {
    case 'users_email':
      return fail('EMAIL_TAKEN', 'this e-mail address is taken', {}, { cause: error });
    case 'users_username':
      return fail('USERNAME_TAKEN', 'this username is taken', {}, { cause: error });
    case 'users_external_id':
      return fail('EXTERNAL_ID_TAKEN', 'this external id is taken', {}, { cause: error });
    case 'users_bootstrap':
      return fail('FIRST_ADMIN_EXISTS', 'the first admin was made a moment ago', {}, { cause: error });
    default:
      return error;
  }
}
