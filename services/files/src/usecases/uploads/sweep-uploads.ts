import { deleteUpload } from './delete-upload.js';
import type { UploadContext } from './uploads-context.js';

/** Bytes of a process that died before it wrote their record are older than this. */
const minOrphanAgeMs = 60_000;

/** Remove expired uploads, and bytes without a record. */
export async function sweepUploads(
  context: Pick<UploadContext, 'fileMutex' | 'uploads' | 'usage' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const { store, files, nodeId } = context.uploads;
  const now = context.clock();
  for (const upload of await store.listExpired(nodeId, now)) {
    signal.throwIfAborted();
    await deleteUpload(context, upload);
  }
  for (const orphan of await files.list(new Date(now.getTime() - minOrphanAgeMs))) {
    signal.throwIfAborted();
    if (!(await store.find(orphan.serverId, orphan.id))) await deleteUpload(context, orphan);
  }
}
