import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import type { TrashEntry } from '../../domain/trash-entry.js';

/** Includes damaged records, which fail when presented. */
export async function listTrash(
  { trash }: Pick<FilesContext, 'trash'>,
  grant: FileGrant,
): Promise<{ readonly entries: TrashEntry[]; readonly retentionMs: number }> {
  const guard = createFileGuard(grant);
  const found = await trash.list(grant.serverId);
  const entries = found.filter((entry) => !('path' in entry) || !guard.hides(entry.path.slice(1), entry.isDirectory));
  return { entries, retentionMs: trash.retentionMs };
}
