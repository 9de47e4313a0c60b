import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import { requireGrant } from '../../domain/grant.js';
import { presentTrashEntry } from '../../present/file-entry.js';

/** Deleted entries that can be restored. */
export function listTrash({ grants, trash }: FilesContext): Handler<FileServiceService['listTrash']> {
  return async (request, { permission }) => {
    const grant = requireGrant(grants.verify(request.grant), permission);
    const guard = createFileGuard(grant);
    const all = await trash.list(grant.serverId);
    const entries = all.filter(({ path, isDirectory }) => !guard.hides(path.slice(1), isDirectory));
    return { entries: entries.map((entry) => presentTrashEntry(entry, trash.retentionMs)) };
  };
}
