import type { Logger } from '@panel/kit';
import { sweepEach } from '../sweep-each.js';
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
  await sweepEach(await store.listExpired(nodeId, now), { log, signal }, async (upload) =>
    deleteUpload(context, upload),
  );
  const orphans = await files.list(new Date(now.getTime() - minOrphanAgeMs));
  await sweepEach(orphans, { log, signal }, async (orphan) => {
    if (!(await store.find(orphan.serverId, orphan.id))) await deleteUpload(context, orphan);
  });
}
