import { createHash, randomUUID } from 'node:crypto';
import type { Actor } from '../actor.js';
import { AppError } from '../errors.js';
import { duplicateIndex } from '../mongo.js';

/** What a call knows of the object it is to create, so that its repetition finds it: see CallContext. */
export interface Creation {
  readonly creationId: string;
  readonly creationSeed: string;
}

/**
 * What a creation id means to one actor in one method. Somebody else who sends the same id gets another id, and with it
 * an object of their own: nobody's object can be asked for by guessing or overhearing. An API key is somebody else than
 * its owner, whose sessions may do more. The unknown have nothing that tells two of them apart, hence no creation.
 */
export function bindCreation(sent: string, actor: Actor, methodPath: string): Creation | null {
  if (actor.kind === 'anonymous') return null;
  const isKey = actor.kind === 'user' && actor.method === 'api_key';
  const who =
    actor.kind === 'service' ? ['service', actor.service] : ['user', actor.userId, isKey ? actor.credentialId : ''];
  const digest = (use: string) =>
    createHash('sha256')
      .update(JSON.stringify([use, ...who, methodPath, sent]))
      .digest();
  return { creationId: uuidOf(digest('id')), creationSeed: digest('seed').toString('base64url') };
}

/** One more id that follows from a creation's: the same for every repetition. For what comes in several pieces. */
export function derivedId(creationId: string, piece: string): string {
  return uuidOf(
    createHash('sha256')
      .update(JSON.stringify(['piece', creationId, piece]))
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
export interface Creating<T> {
  readonly find: (id: string) => Promise<T | null>;
  readonly create: (id: string) => Promise<T>;
}

/**
 * Make an object, or answer the one that an earlier or a parallel repetition of the same call has made: exactly one comes
 * of any number of them, whenever they die, because `_id` is unique. What belongs to the creation but is not part of the
 * write in `create` has to be repeatable, and be repeated by the caller for both. Without a creation id it just makes one.
 * Throws what `create` throws; CREATION_GONE when the object is just being deleted.
 */
export async function createOnce<T>(
  creationId: string | undefined,
  { find, create }: Creating<T>,
): Promise<{ readonly object: T; readonly isNew: boolean }> {
  if (creationId === undefined) return { object: await create(randomUUID()), isNew: true };
  const earlier = await find(creationId);
  if (earlier !== null) return { object: earlier, isNew: false };
  try {
    return { object: await create(creationId), isNew: true };
  } catch (error) {
    // A twin was faster. It may have been noticed by any limit or index it has used up, not only by its id.
    const twin = await find(creationId);
    if (twin !== null) return { object: twin, isNew: false };
    if (duplicateIndex(error) === null) throw error;
    throw new AppError(
      'aborted',
      'CREATION_GONE',
      'what this call created is just being deleted',
      {},
      { cause: error },
    );
  }
}
