import type { FileGrant } from '@panel/rpc';
import { createFileGuards } from '../../domain/file-guard.js';
import type { Upload } from '../../domain/upload.js';
import type { UploadDeps } from '../../uploads/upload-deps.js';

/** Unfinished uploads of a server that the caller may know of. A damaged record is among them: presenting it fails. */
export async function listUploads(
  { clock, uploads }: Pick<UploadDeps, 'clock' | 'uploads'>,
  grant: FileGrant,
): Promise<Upload[]> {
  const { readGuard } = createFileGuards(grant);
  const found = await uploads.store.listUnfinished(grant.serverId, clock());
  return found.filter((upload) => !('path' in upload) || !readGuard.hides(upload.path.slice(1), false));
}
