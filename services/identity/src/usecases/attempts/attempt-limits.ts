import { createHash } from 'node:crypto';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';

const windowMs = 15 * 60_000;

/**
 * Wrong passwords for one account, from any address, before only addresses of earlier sign-ins are accepted. The limit is per
 * account because an attacker with many addresses passes every limit per address.
 */
const maxPasswordsFromUnknownIps = 50;
/** Wrong second factors of one account, over all its challenges. */
const maxSecondFactors = 20;
/** Wrong current passwords of a signed-in user. */
const maxCurrentPasswords = 20;
/** Changes of e-mail address tried: each reveals whether an address has an account. */
const maxEmailChanges = 10;
/** Mails with a link to choose a password. */
const maxPasswordMails = 5;

/** One counted attempt. */
export interface Attempt {
  readonly isTooMany: boolean;
  readonly endsAt: Date;
  /** Do not count it: it was valid, or nothing was compared. */
  readonly refund: () => Promise<void>;
}

async function countAttempt(context: IdentityContext, key: string, limit: number): Promise<Attempt> {
  const { attempts, clock } = context;
  const { count, endsAt } = await attempts.count(key, windowMs, clock());
  return { isTooMany: count > limit, endsAt, refund: async () => attempts.refund(key) };
}

/** An attempt at a password. Counted by address, known or not, so that it takes the same time for both. */
export async function countPasswordAttempt(context: IdentityContext, email: string): Promise<Attempt> {
  const key = `password ${createHash('sha256').update(email).digest('hex')}`;
  return countAttempt(context, key, maxPasswordsFromUnknownIps);
}

export async function countSecondFactorAttempt(context: IdentityContext, userId: string): Promise<Attempt> {
  return countAttempt(context, `second-factor ${userId}`, maxSecondFactors);
}

export async function countCurrentPasswordAttempt(context: IdentityContext, userId: string): Promise<Attempt> {
  return countAttempt(context, `current-password ${userId}`, maxCurrentPasswords);
}

/** Count a mail with a link to a user; false when there were too many. */
export async function checkMailRateLimit(context: IdentityContext, userId: string): Promise<boolean> {
  return !(await countAttempt(context, `password-mail ${userId}`, maxPasswordMails)).isTooMany;
}

/** Throws RATE_LIMIT_EXCEEDED. */
export async function limitEmailChanges(context: IdentityContext, userId: string): Promise<void> {
  requireAttempt(context, await countAttempt(context, `email-change ${userId}`, maxEmailChanges));
}

/** Throws RATE_LIMIT_EXCEEDED when an attempt is one too many. */
export function requireAttempt({ clock }: IdentityContext, { isTooMany, endsAt }: Attempt): void {
  if (!isTooMany) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - clock().getTime()) / 1000));
  const message = `too many attempts: try again in ${retryAfterSeconds} seconds`;
  throw fail('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}
