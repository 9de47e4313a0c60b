import { type Upload, uploadKey } from '../domain/upload.js';
import type { UploadDeps } from './upload-deps.js';

/** End an upload; what has arrived is removed, a file in its place stays. */
export async function deleteUpload(
  { fileMutex, uploads, usage }: Pick<UploadDeps, 'fileMutex' | 'uploads' | 'usage'>,
  upload: Pick<Upload, 'id' | 'serverId'>,
): Promise<void> {
  const freedBytes = await fileMutex.run(uploadKey(upload), async () => {
    // the record goes first: bytes without one are swept
    await uploads.store.remove(upload.id);
    return uploads.files.remove(upload);
  });
  const reservation = await usage.reserve(upload.serverId, 0);
  reservation.commit(-freedBytes);
}
