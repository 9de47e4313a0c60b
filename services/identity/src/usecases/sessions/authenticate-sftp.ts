import type { IdentityContext } from '../../context.js';
import { sshFingerprint } from '../../domain/ssh-public-key.js';
import { isTwoFactorRequired } from '../../domain/policy.js';
import type { RoleRecord } from '../../domain/role.js';
import type { SshKeyRecord } from '../../domain/ssh-key.js';
import { isTouchDue, touchIntervalMs } from '../../domain/session.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { countPasswordAttempt } from '../attempts/attempt-limits.js';
import { recordRefusal } from './record-refusal.js';
import { loadRole } from '../authorization/authorization.js';

export interface SftpIdentity {
  readonly user: UserRecord;
  readonly role: RoleRecord;
  /** Null: password. */
  readonly sshKeyId: string | null;
}

/** Origin and claimed name. */
interface SftpClient {
  readonly username: string;
  readonly ip: string;
}

/**
 * Only without a second factor: SFTP cannot request one. Mismatches take equal time. Throws INVALID_CREDENTIALS,
 * HASHING_BUSY.
 */
export async function authenticateSftpPassword(
  context: IdentityContext,
  { username, ip }: SftpClient,
  password: string,
  signal: AbortSignal,
): Promise<SftpIdentity> {
  const { activity, passwords, users } = context;
  const actor = { kind: 'anonymous', ip } as const;
  const known = await users.findByUsername(username);
  // Shares the sign-in counter: no extra attempts.
  const attempt = await countPasswordAttempt(context, known?.email ?? `sftp ${username}`);
  const isThrottled = attempt.isTooMany && !known?.knownIps.includes(ip);
  const stored = isThrottled || known?.twoFactor ? null : (known?.passwordHash ?? null);
  const { isValid } = await passwords.verify(stored, password, signal).catch(async (error: unknown) => {
    await attempt.refund();
    throw error;
  });
  if (!known || !isValid) {
    if (known) recordRefusal(context, { event: 'auth:sftp-fail', userId: known.id }, actor);
    throw refused();
  }
  await attempt.refund();
  const identity = await identityOf(context, known, null);
  await activity.record({ event: 'auth:sftp-success', actorId: known.id, userId: known.id }, actor);
  return identity;
}

/** The caller verifies possession of the key. Throws INVALID_CREDENTIALS. */
export async function authenticateSftpKey(
  context: IdentityContext,
  client: SftpClient,
  publicKey: Uint8Array,
): Promise<SftpIdentity> {
  const { clock, sshKeys, tasks } = context;
  const { key, ...identity } = await findSftpKey(context, client, publicKey);
  const now = clock();
  if (isTouchDue(key.lastUsedAt, now))
    tasks.run('touch SSH key', async () => sshKeys.touch(key.id, now, touchIntervalMs));
  return identity;
}

/** Without possession: the key is not used. Throws INVALID_CREDENTIALS. */
export async function findSftpKey(
  context: IdentityContext,
  { username }: SftpClient,
  publicKey: Uint8Array,
): Promise<SftpIdentity & { readonly key: SshKeyRecord }> {
  const { sshKeys, users } = context;
  const user = await users.findByUsername(username);
  const key = user ? await sshKeys.findByFingerprint(user.id, sshFingerprint(publicKey)) : null;
  if (!user || !key) throw refused();
  return { ...(await identityOf(context, user, key.id)), key };
}

/** Checks account, session epoch and key of an open connection. Throws INVALID_CREDENTIALS. */
export async function continueSftp(
  context: IdentityContext,
  session: { readonly userId: string; readonly sessionEpoch: number; readonly sshKeyId: string | null },
): Promise<SftpIdentity> {
  const { userId, sessionEpoch, sshKeyId } = session;
  const [user, key] = await Promise.all([
    context.users.findById(userId),
    sshKeyId === null ? null : context.sshKeys.findById(sshKeyId),
  ]);
  if (!user || user.sessionEpoch !== sessionEpoch) throw refused();
  if (sshKeyId !== null && key?.userId !== user.id) throw refused();
  return identityOf(context, user, sshKeyId);
}

async function identityOf(context: IdentityContext, user: UserRecord, sshKeyId: string | null): Promise<SftpIdentity> {
  const role = await loadRole(context, user);
  const mustSetUp = user.twoFactor === null && isTwoFactorRequired(context.policy.current(), role.permissions);
  const isPasswordForbidden = sshKeyId === null && user.twoFactor !== null;
  if (mustSetUp || isPasswordForbidden) throw refused();
  return { user, role, sshKeyId };
}

function refused() {
  return fail('INVALID_CREDENTIALS', 'these credentials are not right');
}
