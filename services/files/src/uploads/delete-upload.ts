import { type Upload, uploadKey } from '../domain/upload.js';
import type { UploadDeps } from './upload-deps.js';

/** Removes received bytes, not the placed file. */
export async function deleteUpload(
  { fileMutex, uploads, usage }: Pick<UploadDeps, 'fileMutex' | 'uploads' | 'usage'>,
  upload: Pick<Upload, 'id' | 'serverId'>,
): Promise<void> {
  const freedBytes = await fileMutex.run(uploadKey(upload), async () => {
    // record first: bytes without one are swept
    await uploads.store.remove(upload.id);
    return uploads.files.remove(upload);
  });
  const reservation = await usage.reserve(upload.serverId, 0);
  reservation.commit(-freedBytes);
}
