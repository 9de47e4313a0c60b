import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit';
import { Schema } from 'mongoose';

/** Two-factor authentication that is switched on. */
export interface TwoFactor {
  /** Sealed. */
  readonly secret: string;
  /** The last time step whose code was accepted: none at or before it is accepted again. */
  readonly lastStep: number;
  /** Hashes of the recovery codes that are left. */
  readonly recoveryHashes: readonly string[];
  readonly enabledAt: Date;
}

/** A mail the admin service has not taken over yet. */
export interface MailEntry {
  readonly id: string;
  readonly kind: 'set_password' | 'reset_password' | 'email_changed';
  readonly to: string;
  /** The sealed token of a link, or the new address. */
  readonly content: string;
  readonly at: Date;
}

/** Something worth remembering that the admin service has not written down yet. */
export interface ActivityEntry {
  readonly id: string;
  readonly event: string;
  readonly at: Date;
  readonly actorId: string;
  readonly apiKeyId: string;
  readonly ip: string;
  readonly userId: string;
  readonly properties: Readonly<Record<string, string>>;
}

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
  /** Of users with the role `admin`: their place in the roster of admins (admin-roster.ts). */
  readonly adminToken: string | null;
  /** argon2id; null for somebody who has not chosen a password yet. */
  readonly passwordHash: string | null;
  /**
   * Sessions carry the epoch they were opened in and are over in any other, but for `keptSessionId`. So one atomic update
   * of this document changes a password and ends every other session, whatever is under way elsewhere.
   */
  readonly sessionEpoch: number;
  readonly keptSessionId: string | null;
  readonly twoFactor: TwoFactor | null;
  /** A secret that waits for its first code. */
  readonly twoFactorSetup: { readonly secret: string; readonly startedAt: Date } | null;
  /** The latest link to choose a password with; there is never a second one. */
  readonly passwordReset: { readonly hash: string; readonly expiresAt: Date } | null;
  /** Addresses of the last sign-ins, which get in also while somebody else guesses the password. */
  readonly knownIps: readonly string[];
  readonly externalId: string | null;
  /** True on the first admin only: a unique index keeps two launchers from making two. */
  readonly isBootstrap?: true;
  /** `checking`: somebody wants to delete the user and looks for what forbids it. `decided`: gone for everybody, being cleared. */
  readonly deletion: { readonly state: 'checking' | 'decided'; readonly at: Date } | null;
  readonly lastLoginAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Whether there is anything in the two lists after it. */
  readonly outboxPending?: true;
  /** Outbox of mail; drained by news.ts. Not in what queries return. */
  readonly mails?: readonly MailEntry[];
  /** Outbox of activity; the latest 100. Not in what queries return. */
  readonly activity?: readonly ActivityEntry[];
}

const part = { _id: false, strict: 'throw' } as const;
const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;

const twoFactor = new Schema<TwoFactor>(
  { secret: text, lastStep: { type: Number, required: true }, recoveryHashes: [String], enabledAt: date },
  part,
);
const mail = new Schema<MailEntry>({ id: text, kind: text, to: text, content: text, at: date }, { ...part, id: false });
const activity = new Schema<ActivityEntry>(
  {
    id: text,
    event: text,
    at: date,
    actorId: { type: String, default: '' },
    apiKeyId: { type: String, default: '' },
    ip: { type: String, default: '' },
    userId: { type: String, default: '' },
    properties: { type: Schema.Types.Mixed, default: {} },
  },
  { ...part, id: false, minimize: false },
);

const schema = new Schema<UserDocument>(
  {
    _id: text,
    email: text,
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
    outboxPending: { type: Boolean },
    mails: { type: [mail], default: [] },
    activity: { type: [activity], default: [] },
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
schema.index({ outboxPending: 1 }, { name: 'users_outbox_pending', partialFilterExpression: { outboxPending: true } });
schema.index(
  { 'deletion.at': 1 },
  { name: 'users_deletion', partialFilterExpression: { 'deletion.state': 'decided' } },
);

/** The one model of users on a connection, which several stores share. */
export function defineUserModel(connection: MongoConnection) {
  return defineModel(connection, 'User', schema, 'users');
}

export type UserModel = ReturnType<typeof defineUserModel>;

/** Activity kept while the admin service is away; the oldest goes. */
const activityKept = 100;

/** An entry as an update pushes it into the outbox. */
export function newest(entry: ActivityEntry) {
  return { $each: [entry], $slice: -activityKept };
}

/** Everything but the outboxes. */
export const withoutNews = { mails: 0, activity: 0 } as const;

/** Users who are there: not those whose deletion is decided. */
export const present = { 'deletion.state': { $ne: 'decided' } } as const;
