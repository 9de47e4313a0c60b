import { createHash, randomUUID } from 'node:crypto';
import type { Actor } from './auth/actor.js';
import { AppError } from '@panel/kit/errors';
import { duplicateIndex } from '@panel/kit/mongo';

/** What a call knows of the object it is to create, so that its repetition finds it: see CallContext. */
export interface Creation {
  readonly idempotencyId: string;
  readonly idempotencySeed: string;
}

/**
 * What a creation id means to one actor in one method. Another actor that sends the same id gets another id, and with
 * it an object of its own: no object can be requested by a guessed id. An API key is another actor than
 * its owner, whose sessions may do more. Unauthenticated callers cannot be distinguished, so they create nothing.
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

/** One more id that follows from a creation's: the same for every repetition. For what comes in several pieces. */
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

/** How one kind of object is found and made under a given id; a second `create` of an id must fail by a unique index. */
interface CreateSpec<T> {
  readonly find: (id: string) => Promise<T | null>;
  readonly create: (id: string) => Promise<T>;
}

/**
 * Make an object, or answer the one that an earlier or a parallel repetition of the same call has made: exactly one comes
 * of any number of them, whenever they die, because `_id` is unique. What belongs to the creation but is not part of the
 * write in `create` has to be repeatable, and be repeated by the caller for both. Without a creation id it just makes one.
 * Throws what `create` throws; CREATION_DELETED when the object is just being deleted.
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
    // A twin was faster. It may have been noticed by any limit or index it has used up, not only by its id.
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
