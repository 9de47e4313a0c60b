import type { Jobs } from '@panel/kit/process';
import { uploadTtlMs } from '../domain/upload.js';
import { deleteUpload } from './delete-upload.js';
import type { UploadDeps } from './upload-deps.js';

const job = 'sweep-resumable-uploads';

/** Removes expired uploads, and bytes as old without a record: a newer dump of the database may bring it back. */
export async function sweepUploads(
  context: Pick<UploadDeps, 'fileMutex' | 'uploads' | 'usage' | 'clock'> & { readonly attempt: Jobs['attempt'] },
  signal: AbortSignal,
): Promise<void> {
  const { store, files, nodeId } = context.uploads;
  const now = context.clock();
  for (const upload of await store.listExpired(nodeId, now)) {
    signal.throwIfAborted();
    await context.attempt(job, upload.id, async () => deleteUpload(context, upload));
  }
  for (const orphan of await files.list(new Date(now.getTime() - uploadTtlMs))) {
    signal.throwIfAborted();
    await context.attempt(job, orphan.id, async () => {
      if (!(await store.find(orphan.serverId, orphan.id))) await deleteUpload(context, orphan);
    });
  }
}
