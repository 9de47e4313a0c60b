import { createHash } from 'node:crypto';
import { rateLimited } from '@panel/kit/errors';
import type { IdentityContext } from '../../context.js';

const windowMs = 15 * 60_000;

/**
 * Wrong passwords per account before only known addresses are accepted. Per account: distributed attackers pass limits
 * per address.
 */
const maxPasswordsFromUnknownIps = 50;
/** Per account, over all challenges. */
const maxSecondFactors = 20;
/** Of a signed-in user. */
const maxCurrentPasswords = 20;
/** Each attempt reveals whether an address has an account. */
const maxEmailChanges = 10;
/** With password links. */
const maxPasswordMails = 5;

interface Attempt {
  readonly isTooMany: boolean;
  /** Of the limit that counted it. */
  readonly limit: { readonly name: string; readonly max: number };
  readonly endsAt: Date;
  /** For valid attempts, or without comparison. */
  readonly refund: () => Promise<void>;
}

async function countAttempt(context: IdentityContext, key: string, limit: Attempt['limit']): Promise<Attempt> {
  const { attempts, clock } = context;
  const { count, endsAt } = await attempts.count(key, windowMs, clock());
  return { isTooMany: count > limit.max, limit, endsAt, refund: async () => attempts.refund(key) };
}

/** Counted by e-mail address, registered or not, for equal timing. */
export async function countPasswordAttempt(context: IdentityContext, email: string): Promise<Attempt> {
  const key = `password ${createHash('sha256').update(email).digest('hex')}`;
  return countAttempt(context, key, { name: 'passwords', max: maxPasswordsFromUnknownIps });
}

export async function countSecondFactorAttempt(context: IdentityContext, userId: string): Promise<Attempt> {
  return countAttempt(context, `second-factor ${userId}`, { name: 'second_factors', max: maxSecondFactors });
}

export async function countCurrentPasswordAttempt(context: IdentityContext, userId: string): Promise<Attempt> {
  return countAttempt(context, `current-password ${userId}`, { name: 'current_passwords', max: maxCurrentPasswords });
}

/** False: too many. */
export async function checkMailRateLimit(context: IdentityContext, userId: string): Promise<boolean> {
  const limit = { name: 'password_mails', max: maxPasswordMails };
  return !(await countAttempt(context, `password-mail ${userId}`, limit)).isTooMany;
}

/** Throws RATE_LIMIT_EXCEEDED. */
export async function limitEmailChanges(context: IdentityContext, userId: string): Promise<void> {
  const limit = { name: 'email_changes', max: maxEmailChanges };
  requireAttempt(context, await countAttempt(context, `email-change ${userId}`, limit));
}

/** Throws RATE_LIMIT_EXCEEDED when an attempt is one too many. */
export function requireAttempt({ clock }: IdentityContext, { isTooMany, limit, endsAt }: Attempt): void {
  if (!isTooMany) return;
  throw rateLimited('too many attempts', { ...limit, remainingMs: endsAt.getTime() - clock().getTime() });
}
