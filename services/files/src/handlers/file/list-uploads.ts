import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentUpload } from '../../present/upload.js';
import { listUploads as list } from '../../usecases/uploads/list-uploads.js';

/** Unfinished uploads. */
export function listUploads(context: FilesContext): Handler<FileServiceService['listUploads']> {
  return async ({ grant }, { permission }) => {
    const uploads = await list(context, requireGrant(context.grants.verify(grant), permission));
    return { uploads: uploads.map(presentUpload) };
  };
}
