import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentTrashEntry } from '../../present/file-entry.js';

/** Deleted entries that can be restored. */
export function listTrash({ grants, trash }: FilesContext): Handler<FileServiceService['listTrash']> {
  return async (request, { permission }) => {
    const { serverId } = requireGrant(grants.verify(request.grant), permission);
    const entries = await trash.list(serverId);
    return { entries: entries.map((entry) => presentTrashEntry(entry, trash.retentionMs)) };
  };
}
