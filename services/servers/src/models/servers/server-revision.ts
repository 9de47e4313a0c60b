import { randomBytes } from 'node:crypto';
import type { Schema } from 'mongoose';

/** Unique per write. */
export function newRevision(): string {
  return randomBytes(9).toString('base64url');
}

interface Update {
  getUpdate(): object | null;
  setUpdate(update: object): void;
}

/** Every update through the model sets a new revision. */
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
