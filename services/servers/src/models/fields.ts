export const required = { required: true } as const;
/** `required` rejects empty text. */
export const text = { type: String, default: '' } as const;
export const count = { type: Number, required: true, validate: Number.isSafeInteger } as const;

export { maxQueryMs } from '@panel/kit/mongo';

/** Then the deletion of a dead process is void. */
const maxDeletionMs = 60_000;

export function notDeleting() {
  return { $or: [{ deletingAt: null }, { deletingAt: { $lt: new Date(Date.now() - maxDeletionMs) } }] };
}
