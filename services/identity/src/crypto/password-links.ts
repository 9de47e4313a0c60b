import { createHash, randomBytes } from 'node:crypto';
import { createEntry, type OutboxEntry } from '@panel/outbox';
import type { MailPayload } from '../domain/outbox.js';
import type { NewUser } from '../domain/user.js';
import type { SecretBox } from './secret-box.js';

/** Lifetime of password links. */
export const linkTtlMs = { set_password: 72 * 3_600_000, reset_password: 60 * 60_000 } as const;

interface PasswordLink {
  /** Stored part of the token. */
  readonly link: { readonly hash: string; readonly expiresAt: Date };
  /** The token is sealed. */
  readonly mail: OutboxEntry<MailPayload>;
}

/** Single use. */
export function createPasswordLink(
  box: SecretBox,
  user: Pick<NewUser, 'id' | 'email' | 'username' | 'language'>,
  kind: keyof typeof linkTtlMs,
  now: Date,
): PasswordLink {
  const { id, email, username, language = '' } = user;
  const token = randomBytes(32).toString('base64url');
  return {
    link: { hash: hashOf(token), expiresAt: new Date(now.getTime() + linkTtlMs[kind]) },
    mail: createEntry({ kind, to: email, username, language, content: box.seal(token, linkAad(id)) }, now),
  };
}

/** Null: malformed token. */
export function linkHashOf(token: string): string | null {
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? hashOf(token) : null;
}

/** Additional authenticated data of the sealed token. */
export function linkAad(userId: string): string {
  return `link ${userId}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(`panel-password-link\0${token}`).digest('hex');
}
