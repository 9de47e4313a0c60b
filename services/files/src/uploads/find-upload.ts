import { type Upload, uploadKey } from '../domain/upload.js';
import { fail } from '../reasons.js';
import { type FileAccess, withWorkspace } from '../workspace/workspace.js';
import { placeUpload } from './place-upload.js';
import type { UploadDeps } from './upload-deps.js';

/** With the real offset. Throws UPLOAD_NOT_FOUND. */
export async function findUpload(
  { clock, uploads }: Pick<UploadDeps, 'clock' | 'uploads'>,
  serverId: string,
  id: string,
): Promise<Upload> {
  const upload = await uploads.store.find(serverId, id);
  if (!upload || upload.nodeId !== uploads.nodeId || upload.expiresAt <= clock()) throw notFound();
  if (upload.state === 'completed') return { ...upload, offsetBytes: upload.sizeBytes };
  const offsetBytes = await uploads.files.sizeOf(upload);
  if (offsetBytes !== null) return { ...upload, offsetBytes };
  if (upload.state === 'placing') return { ...upload, offsetBytes: upload.sizeBytes };
  throw notFound();
}

/** First places a complete upload left by a crash or a taken name: clients rely on its completion. */
export async function checkUpload(context: UploadDeps, access: FileAccess, id: string): Promise<Upload> {
  const upload = await findUpload(context, access.grant.serverId, id);
  if (upload.state === 'completed' || upload.offsetBytes < upload.sizeBytes) return upload;
  return withWorkspace(context, access, async (workspace) =>
    context.fileMutex.run(uploadKey(upload), async () => placeUpload(context, workspace, upload)),
  );
}

function notFound() {
  return fail('UPLOAD_NOT_FOUND', 'there is no such upload');
}
