import type { Logger } from '@panel/kit';
import { deleteUpload } from './delete-upload.js';
import type { UploadContext } from './uploads-context.js';

/** Bytes of a process that died before it wrote their record are older than this. */
const minOrphanAgeMs = 60_000;

/** Remove expired uploads, and bytes without a record. */
export async function sweepUploads(
  context: Pick<UploadContext, 'fileMutex' | 'uploads' | 'usage' | 'clock'>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { store, files, nodeId } = context.uploads;
  const now = context.clock();
  for (const upload of await store.listExpired(nodeId, now)) {
    signal.throwIfAborted();
    await attempt(log, upload.id, async () => deleteUpload(context, upload));
  }
  for (const orphan of await files.list(new Date(now.getTime() - minOrphanAgeMs))) {
    signal.throwIfAborted();
    await attempt(log, orphan.id, async () => {
      if (!(await store.find(orphan.serverId, orphan.id))) await deleteUpload(context, orphan);
    });
  }
}

/** What fails for one upload keeps no other one waiting. */
async function attempt(log: Logger, uploadId: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ err: error, uploadId }, 'an upload could not be swept');
  }
}
