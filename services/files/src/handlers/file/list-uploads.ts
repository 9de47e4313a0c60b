import { type FileServiceService, Upload } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentUpload } from '../../present/upload.js';
import { listUploads as list } from '../../usecases/files/list-uploads.js';

/** Unfinished uploads. */
export function listUploads(context: FilesContext): Handler<FileServiceService['listUploads']> {
  return async ({ grant }, call) => {
    const uploads = await list(context, requireGrant(context.grants.verify(grant), call.permission));
    return { uploads: presentEach(call, uploads, presentUpload, Upload) };
  };
}
