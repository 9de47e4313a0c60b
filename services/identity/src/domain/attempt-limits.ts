import { createHash } from 'node:crypto';
import type { IdentityContext } from '../context.js';
import { fail } from '../reasons.js';

const windowMs = 15 * 60_000;

/**
 * Wrong passwords for one address, from anywhere, before only those get in who signed in from their address before. It
 * is per account because an attacker with many addresses passes every limit per address.
 */
const maxStrangePasswords = 50;
/** Wrong second factors for one account, over all its challenges. */
const maxSecondFactors = 20;
/** Wrong current passwords of somebody signed in. */
const maxCurrentPasswords = 20;
/** Changes of e-mail address tried, which tell whether an address has an account. */
const maxEmailChanges = 10;
/** Mails with a link to choose a password. */
const maxPasswordMails = 5;

/** One try at something. `forgive` takes it back. */
export interface Attempt {
  readonly isTooMany: boolean;
  readonly endsAt: Date;
  readonly forgive: () => Promise<void>;
}

async function attempt(context: IdentityContext, key: string, limit: number): Promise<Attempt> {
  const { attempts, clock } = context;
  const { count, endsAt } = await attempts.count(key, windowMs, clock());
  return { isTooMany: count > limit, endsAt, forgive: async () => attempts.forgive(key) };
}

/** A try at a password. Counted by address, known or not, so that it takes the same time for both. */
export async function passwordAttempt(context: IdentityContext, email: string): Promise<Attempt> {
  return attempt(context, `password ${createHash('sha256').update(email).digest('hex')}`, maxStrangePasswords);
}

export async function secondFactorAttempt(context: IdentityContext, userId: string): Promise<Attempt> {
  return attempt(context, `second-factor ${userId}`, maxSecondFactors);
}

export async function currentPasswordAttempt(context: IdentityContext, userId: string): Promise<Attempt> {
  return attempt(context, `current-password ${userId}`, maxCurrentPasswords);
}

/** Whether another mail with a link may go to this user now. */
export async function mayMailLink(context: IdentityContext, userId: string): Promise<boolean> {
  return !(await attempt(context, `password-mail ${userId}`, maxPasswordMails)).isTooMany;
}

/** Throws RATE_LIMIT_EXCEEDED. */
export async function limitEmailChanges(context: IdentityContext, userId: string): Promise<void> {
  const { isTooMany, endsAt } = await attempt(context, `email-change ${userId}`, maxEmailChanges);
  if (!isTooMany) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - context.clock().getTime()) / 1000));
  const message = `Too many changes of address. Try again in ${retryAfterSeconds} seconds.`;
  throw fail('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}
