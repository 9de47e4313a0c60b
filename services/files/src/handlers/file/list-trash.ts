import { type FileServiceService, TrashEntry } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentTrashEntry } from '../../present/file-entry.js';
import { listTrash } from '../../usecases/files/list-trash.js';
import { readGrant } from '../read-grant.js';

export function handleListTrash(context: FilesContext): Handler<FileServiceService['listTrash']> {
  return async (request, call) => {
    const { entries, retentionMs } = await listTrash(context, readGrant(context, request.grant, call.permission));
    return { entries: presentEach(call, entries, (entry) => presentTrashEntry(entry, retentionMs), TrashEntry) };
  };
}
