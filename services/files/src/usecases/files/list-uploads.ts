import type { FileGrant } from '@panel/rpc';
import { createFileGuards } from '../../domain/file-guard.js';
import type { Upload } from '../../domain/upload.js';
import type { UploadDeps } from '../../uploads/upload-deps.js';

/** Includes damaged records, which fail when presented. */
export async function listUploads(
  { clock, uploads }: Pick<UploadDeps, 'clock' | 'uploads'>,
  grant: FileGrant,
): Promise<Upload[]> {
  const { readGuard } = createFileGuards(grant);
  const found = await uploads.store.listUnfinished(grant.serverId, clock());
  return found.filter((upload) => !('path' in upload) || !readGuard.hides(upload.path.slice(1), false));
}
