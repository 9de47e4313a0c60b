import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { SecretBox } from '../crypto/secret-box.js';
import type { MailEntry } from '../models/user-document.js';

/** How long a link to choose a password works. */
export const linkTtlMs = { set_password: 72 * 3_600_000, reset_password: 60 * 60_000 } as const;

export interface PasswordLink {
  /** What the database keeps of the token. */
  readonly link: { readonly hash: string; readonly expiresAt: Date };
  /** The mail that carries it; the token is sealed. */
  readonly mail: MailEntry;
}

/** A new link for a user, valid once. */
export function makePasswordLink(
  box: SecretBox,
  user: { readonly _id: string; readonly email: string },
  kind: keyof typeof linkTtlMs,
  now: Date,
): PasswordLink {
  const token = randomBytes(32).toString('base64url');
  return {
    link: { hash: hashOf(token), expiresAt: new Date(now.getTime() + linkTtlMs[kind]) },
    mail: { id: randomUUID(), kind, to: user.email, content: box.seal(token, linkPlace(user._id)), at: now },
  };
}

/** The hash a token is looked up by; null for text that cannot be one. */
export function linkHashOf(token: string): string | null {
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? hashOf(token) : null;
}

/** Where the token of a user's link is sealed for. */
export function linkPlace(userId: string): string {
  return `link ${userId}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(`panel-password-link\0${token}`).digest('hex');
}
