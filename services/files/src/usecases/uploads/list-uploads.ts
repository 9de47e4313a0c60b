import type { FileGrant } from '@panel/rpc';
import { createFileGuards } from '../../domain/file-guard.js';
import type { Upload } from '../../domain/upload.js';
import type { UploadContext } from './uploads-context.js';

/** Unfinished uploads of a server that the caller may know of. */
export async function listUploads(
  { clock, uploads }: Pick<UploadContext, 'clock' | 'uploads'>,
  grant: FileGrant,
): Promise<Upload[]> {
  const { readGuard } = createFileGuards(grant);
  const found = await uploads.store.listUnfinished(grant.serverId, clock());
  return found.filter(({ path }) => !readGuard.hides(path.slice(1), false));
}
