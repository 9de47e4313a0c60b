import type { Upload as UploadMessage } from '@panel/protos/files';
import type { Upload } from '../domain/upload.js';

export function presentUpload(upload: Upload): UploadMessage {
  return {
    uploadId: upload.id,
    path: upload.path,
    sizeBytes: upload.sizeBytes,
    offsetBytes: upload.offsetBytes,
    overwrite: upload.overwrite,
    isCompleted: upload.state === 'completed',
    createTime: upload.createdAt,
    expireTime: upload.expiresAt,
  };
}
