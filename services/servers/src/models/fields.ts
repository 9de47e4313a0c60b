/** Pieces of schemas that several models use. */
export const required = { required: true } as const;
/** `required` refuses empty text, which most texts may be. */
export const text = { type: String, default: '' } as const;
export const count = { type: Number, required: true, validate: Number.isSafeInteger } as const;

/** No query of ours may run longer in the database. */
export { maxQueryMs } from '@panel/kit/mongo';

/** Longer than any deletion takes: one whose process died is forgotten then, and what it hid is shown again. */
const maxDeletionMs = 60_000;

/** A filter for documents that no deletion is looking at. */
export function notDeleting() {
  return { $or: [{ deletingAt: null }, { deletingAt: { $lt: new Date(Date.now() - maxDeletionMs) } }] };
}
