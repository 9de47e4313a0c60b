export { maxQueryMs } from '@panel/kit/mongo';

/** Then the deletion of a dead process is void. */
const maxDeletionMs = 60_000;

export function notDeleting() {
  return { $or: [{ deletingAt: null }, { deletingAt: { $lt: new Date(Date.now() - maxDeletionMs) } }] };
}
