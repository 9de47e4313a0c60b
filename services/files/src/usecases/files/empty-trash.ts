import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import { mapFsErrors } from '../../jail/errno.js';
import type { TrashEntry } from '../../domain/trash-entry.js';

/** With path rules, only entries the caller may change. */
export async function emptyTrash({ trash }: Pick<FilesContext, 'trash'>, grant: FileGrant): Promise<void> {
  const isBound = (grant.pathRules ?? []).length > 0;
  const guard = createFileGuard(grant);
  const mayFree = ({ path, isDirectory }: TrashEntry) =>
    !isBound || (!guard.denies(path.slice(1), isDirectory) && !(isDirectory && guard.differsBelow(path.slice(1))));
  await mapFsErrors(async () => {
    for (;;) {
      const entries = (await trash.list(grant.serverId)).filter(mayFree);
      if (entries.length === 0) return;
      for (const entry of entries) await trash.purge(entry);
    }
  });
}
