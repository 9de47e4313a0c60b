import { randomBytes } from 'node:crypto';
import type { Schema } from 'mongoose';

/**
 * A name for what a server document holds: no two writes give the same one, so a copy that was read with a revision is
 * exact for as long as the document has it.
 */
export function newRevision(): string {
  return randomBytes(9).toString('base64url');
}

/** The part of a mongoose query that the hook reads and changes. */
interface Update {
  getUpdate(): object | null;
  setUpdate(update: object): void;
}

/** Has every update that is made through the model give the document a new revision, whichever fields it changes. */
export function addRevision<T>(schema: Schema<T>): void {
  schema.pre(['updateOne', 'updateMany', 'findOneAndUpdate'], function (this: unknown) {
    const query = this as Update;
    query.setUpdate(withRevision(query.getUpdate() ?? {}));
  });
}

function withRevision(update: object): object {
  const $set = { revision: newRevision() };
  if (Array.isArray(update)) return [...(update as object[]), { $set }];
  return { ...update, $set: { ...('$set' in update ? (update.$set as object) : {}), ...$set } };
}
