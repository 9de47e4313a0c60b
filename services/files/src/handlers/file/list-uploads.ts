import { type FileServiceService, Upload } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentUpload } from '../../present/upload.js';
import { listUploads } from '../../usecases/files/list-uploads.js';
import { readGrant } from '../read-grant.js';

export function handleListUploads(context: FilesContext): Handler<FileServiceService['listUploads']> {
  return async ({ grant }, call) => {
    const uploads = await listUploads(context, readGrant(context, grant, call.permission));
    return { uploads: presentEach(call, uploads, presentUpload, Upload) };
  };
}
