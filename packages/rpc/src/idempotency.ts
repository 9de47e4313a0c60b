import { createHash, randomUUID } from 'node:crypto';
import type { Actor } from './auth/actor.js';
import { AppError } from '@panel/kit/errors';
import { duplicateIndex } from '@panel/kit/mongo';

/** Identity of the object to create, for repetitions: see CallContext. */
interface Creation {
  readonly idempotencyId: string;
  readonly idempotencySeed: string;
}

/**
 * By actor and method, so a guessed id reveals nothing. An API key differs from its owner, whose sessions may have more
 * permissions. Null for anonymous callers, which create nothing.
 */
export function deriveIdempotencyId(sent: string, actor: Actor, methodPath: string): Creation | null {
  if (actor.kind === 'anonymous') return null;
  const isKey = actor.kind === 'user' && actor.method === 'api_key';
  const who =
    actor.kind === 'service' ? ['service', actor.service] : ['user', actor.userId, isKey ? actor.credentialId : ''];
  const digest = (use: string) =>
    createHash('sha256')
      .update(JSON.stringify([use, ...who, methodPath, sent]))
      .digest();
  return { idempotencyId: uuidOf(digest('id')), idempotencySeed: digest('seed').toString('base64url') };
}

/** Equal for repetitions, for the object's parts. */
export function derivedId(idempotencyId: string, piece: string): string {
  return uuidOf(
    createHash('sha256')
      .update(JSON.stringify(['piece', idempotencyId, piece]))
      .digest(),
  );
}

/** The first 128 bits in the form of a version 4 UUID. */
export function uuidOf(bytes: Buffer): string {
  const hex = Buffer.from(bytes.subarray(0, 16));
  hex[6] = ((hex[6] ?? 0) & 0x0f) | 0x40;
  hex[8] = ((hex[8] ?? 0) & 0x3f) | 0x80;
  return hex.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A second `create` of an id must violate a unique index. */
interface CreateSpec<T> {
  readonly find: (id: string) => Promise<T | null>;
  readonly create: (id: string) => Promise<T>;
}

/**
 * Returns the object of an earlier or concurrent repetition: exactly one exists even after crashes, because `_id` is
 * unique. The caller repeats side effects outside the write of `create` in both cases, idempotently. Throws as
 * `create`; CREATION_DELETED during the object's deletion.
 */
export async function createOnce<T>(
  idempotencyId: string | undefined,
  { find, create }: CreateSpec<T>,
): Promise<{ readonly object: T; readonly isNew: boolean }> {
  if (idempotencyId === undefined) return { object: await create(randomUUID()), isNew: true };
  const earlier = await find(idempotencyId);
  if (earlier !== null) return { object: earlier, isNew: false };
  try {
    return { object: await create(idempotencyId), isNew: true };
  } catch (error) {
    // A repetition may violate any limit or index, not only the id's.
    const twin = await find(idempotencyId);
    if (twin !== null) return { object: twin, isNew: false };
    if (duplicateIndex(error) === null) throw error;
    throw new AppError(
      'aborted',
      'CREATION_DELETED',
      'what this call created is just being deleted',
      {},
      { cause: error },
    );
  }
}
