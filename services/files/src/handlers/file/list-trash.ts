import { type FileServiceService, TrashEntry } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import { requireGrant } from '../../domain/grant.js';
import { presentTrashEntry } from '../../present/file-entry.js';

/** Deleted entries that can be restored. */
export function listTrash({ grants, trash }: FilesContext): Handler<FileServiceService['listTrash']> {
  return async (request, call) => {
    const grant = requireGrant(grants.verify(request.grant), call.permission);
    const guard = createFileGuard(grant);
    const all = await trash.list(grant.serverId);
    const entries = presentEach(call, all, (entry) => presentTrashEntry(entry, trash.retentionMs), TrashEntry);
    return { entries: entries.filter(({ path, isDirectory }) => !guard.hides(path.slice(1), isDirectory)) };
  };
}
