import { containsText, duplicateIndex, type PageQuery } from '@panel/kit';
import { usernameKey } from '../domain/normalise.js';
import { fail } from '../reasons.js';
import {
  type ActivityEntry,
  type MailEntry,
  newest,
  present,
  type UserDocument,
  type UserModel,
  withoutNews,
} from './user-document.js';

export type { UserDocument } from './user-document.js';

/** What a new user is made of; the rest has its defaults. */
export type NewUser = Pick<UserDocument, '_id' | 'email' | 'username' | 'roleId' | 'passwordHash'> &
  Partial<
    Pick<
      UserDocument,
      'firstName' | 'lastName' | 'language' | 'externalId' | 'isBootstrap' | 'adminToken' | 'passwordReset'
    >
  > &
  Partial<Pick<UserDocument, 'mails' | 'outboxPending'>>;

/** What can be changed of a user's description. */
export type ProfileChanges = Partial<
  Pick<UserDocument, 'email' | 'username' | 'firstName' | 'lastName' | 'language' | 'externalId'>
>;

/** The state a user must be in for an update to happen. */
export type UserGuard = Partial<Pick<UserDocument, 'roleId' | 'adminToken' | 'passwordHash' | 'email'>>;

export type UserChanges = ProfileChanges & Partial<Pick<UserDocument, 'roleId' | 'adminToken'>>;

export interface UserFilter {
  readonly roleId?: string;
  readonly hasTwoFactor?: boolean;
}

export interface LoginRecord {
  readonly ip: string;
  readonly now: Date;
  readonly news: ActivityEntry | null;
}

const knownIpsKept = 10;

export type UserStore = ReturnType<typeof createUserStore>;

export function createUserStore(users: UserModel) {
  const change = async (filter: object, update: object): Promise<UserDocument | null> => {
    try {
      return await users
        .findOneAndUpdate({ ...present, ...filter }, update, { returnDocument: 'after', projection: withoutNews })
        .lean<UserDocument>();
    } catch (error) {
      throw takenOr(error);
    }
  };
  return {
    /** Throws EMAIL_TAKEN, USERNAME_TAKEN, EXTERNAL_ID_TAKEN or FIRST_ADMIN_EXISTS. */
    insert: async (user: NewUser, now: Date): Promise<UserDocument> => {
      const document = newDocument(user, now);
      try {
        await users.create(document);
      } catch (error) {
        throw takenOr(error);
      }
      return document;
    },
    findById: async (id: string): Promise<UserDocument | null> =>
      users.findOne({ _id: id, ...present }, withoutNews).lean<UserDocument>(),
    findByIds: async (ids: readonly string[]): Promise<UserDocument[]> =>
      users.find({ _id: { $in: [...ids] }, ...present }, withoutNews).lean<UserDocument[]>(),
    findByEmail: async (email: string): Promise<UserDocument | null> =>
      users.findOne({ email: { $eq: email }, ...present }, withoutNews).lean<UserDocument>(),
    /** The eldest users with a role. */
    findByRole: async (roleId: string, limit: number): Promise<UserDocument[]> =>
      users
        .find({ roleId, ...present }, withoutNews)
        .sort({ createdAt: 1 })
        .limit(limit)
        .lean<UserDocument[]>(),
    countByRole: async (roleId: string): Promise<number> => users.countDocuments({ roleId, ...present }),
    list: async (filter: UserFilter, page: PageQuery): Promise<{ items: UserDocument[]; total: number }> => {
      const query = listFilter(filter, page.search);
      const [items, total] = await Promise.all([
        users.find(query, withoutNews).sort(page.sort).skip(page.skip).limit(page.perPage).lean<UserDocument[]>(),
        users.countDocuments(query),
      ]);
      return { items, total };
    },
    /** Store the same password hashed anew. False when it has changed in the meantime. */
    renewHash: async (id: string, from: string, to: string): Promise<boolean> =>
      (await change({ _id: id, passwordHash: from }, { $set: { passwordHash: to } })) !== null,
    /**
     * Record a finished sign-in, with what there is to tell of it. Null when the user is gone, or has had its sessions
     * ended since `epoch` was read.
     */
    recordLogin: async (id: string, epoch: number, { ip, now, news }: LoginRecord): Promise<UserDocument | null> => {
      const isSame = { _id: id, sessionEpoch: epoch };
      const set = { lastLoginAt: now, ...(news && { outboxPending: true }) };
      const push = news ? { activity: newest(news) } : {};
      const knownIps = { $each: [ip], $slice: -knownIpsKept };
      return (
        (await change({ ...isSame, knownIps: ip }, { $set: set, $push: push })) ??
        change(isSame, { $set: set, $push: { ...push, knownIps } })
      );
    },
    /** Change what describes a user, if it is as `guard` says. Null when it is not. Throws as `insert`. */
    update: async (
      id: string,
      guard: UserGuard,
      changes: UserChanges,
      now: Date,
      mail?: MailEntry,
    ): Promise<UserDocument | null> => {
      const key = changes.username === undefined ? {} : { usernameKey: usernameKey(changes.username) };
      // A link sent to the old address must not open the account of somebody who has left it.
      const links = changes.email === undefined ? {} : { passwordReset: null };
      const set = { ...changes, ...key, ...links, updatedAt: now };
      const update = mail ? { $set: { ...set, outboxPending: true }, $push: { mails: mail } } : { $set: set };
      return change({ _id: id, ...guard }, update);
    },
    /** Set a password and end all sessions but `keep`, if the password is still `guard`'s. Null when it is not. */
    setPassword: async (
      id: string,
      guard: UserGuard,
      password: { readonly hash: string; readonly keepSessionId: string | null },
      now: Date,
    ): Promise<UserDocument | null> =>
      change({ _id: id, ...guard }, passwordUpdate(password.hash, password.keepSessionId, now)),
    /**
     * Set a password by the latest link, which is used up. Who can read the user's mail gets in from that address also
     * while somebody guesses. Null when the link is not the latest, or too old.
     */
    setPasswordByLink: async (linkHash: string, hash: string, ip: string, now: Date): Promise<UserDocument | null> =>
      change(
        { 'passwordReset.hash': linkHash, 'passwordReset.expiresAt': { $gt: now } },
        { ...passwordUpdate(hash, null, now), $push: { knownIps: { $each: [ip], $slice: -knownIpsKept } } },
      ),
    findByLink: async (linkHash: string, now: Date): Promise<UserDocument | null> =>
      users
        .findOne({ 'passwordReset.hash': linkHash, 'passwordReset.expiresAt': { $gt: now }, ...present }, withoutNews)
        .lean<UserDocument>(),
    endSessions: async (id: string): Promise<UserDocument | null> =>
      change({ _id: id }, { $inc: { sessionEpoch: 1 }, $set: { keptSessionId: null } }),
    /** Begin to delete a user; null when somebody else began less than `staleMs` ago. */
    claimDeletion: async (id: string, now: Date, staleMs: number): Promise<UserDocument | null> => {
      const stale = new Date(now.getTime() - staleMs);
      const free = [{ deletion: null }, { 'deletion.state': 'checking', 'deletion.at': { $lt: stale } }];
      return change({ _id: id, $or: free }, { $set: { deletion: { state: 'checking', at: now } } });
    },
    releaseDeletion: async (id: string, claimedAt: Date): Promise<void> => {
      await change({ _id: id, 'deletion.at': claimedAt }, { $set: { deletion: null } });
    },
    /** From here on the user is gone. False when the claim was lost or the user is not as `guard` says. */
    decideDeletion: async (id: string, claimedAt: Date, guard: UserGuard): Promise<boolean> => {
      const claimed = { _id: id, 'deletion.state': 'checking', 'deletion.at': claimedAt };
      const decided = { $set: { 'deletion.state': 'decided' }, $unset: { isBootstrap: 1 } };
      return (await change({ ...claimed, ...guard }, decided)) !== null;
    },
    findDecided: async (): Promise<string[]> => {
      const found = await users.find({ 'deletion.state': 'decided' }, { _id: 1 }).limit(100).lean<{ _id: string }[]>();
      return found.map(({ _id }) => _id);
    },
    removeDecided: async (id: string): Promise<void> => {
      await users.deleteOne({ _id: id, 'deletion.state': 'decided' });
    },
  };
}

function newDocument(user: NewUser, now: Date): UserDocument {
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
    keptSessionId: null,
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
    $set: { passwordHash: hash, keptSessionId: keepSessionId, passwordReset: null, updatedAt: now },
    $inc: { sessionEpoch: 1 },
  };
}

const searched = ['email', 'username', 'firstName', 'lastName', 'externalId'] as const;

function listFilter({ roleId, hasTwoFactor }: UserFilter, search: string) {
  return {
    ...present,
    ...(roleId === undefined ? {} : { roleId }),
    ...(hasTwoFactor === undefined ? {} : { twoFactor: hasTwoFactor ? { $ne: null } : null }),
    ...(search === '' ? {} : { $or: searched.map((field) => ({ [field]: containsText(search) })) }),
  };
}

/** The reason a unique index stands for, or the error itself. */
function takenOr(error: unknown): unknown {
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
