import type { LinkCredential } from '../domain/download-link.js';
import { freedByUnlink, allocatedSize } from '../domain/disk-size.js';
import { displayPath, parsePath } from '../domain/path.js';
import { maxUploadsPerServer, type Upload, uploadTtlMs } from '../domain/upload.js';
import { openTrusted, withHandle } from '../jail/node.js';
import { requireCondition } from '../jail/write-condition.js';
import { fail } from '../reasons.js';
import { type FileAccess, withWorkspace, type Workspace } from '../workspace/workspace.js';
import { locateTarget } from './locate-target.js';
import { placeUpload } from './place-upload.js';
import type { UploadDeps } from './upload-deps.js';

interface CreateUploadInput extends FileAccess {
  readonly id: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly overwrite: boolean;
  readonly condition: Upload['condition'];
  readonly metadata: Upload['metadata'];
  readonly madeWith: LinkCredential | null;
}

/**
 * Requires space for the whole file, but reserves by piece. Throws FILE_EXISTS unless it replaces a file, FILE_CHANGED,
 * FILE_DENIED, PATH_FORBIDDEN, DISK_LIMIT, NODE_DISK_LOW, UPLOAD_TOO_LARGE, UPLOAD_LIMIT.
 */
export async function createUpload(context: UploadDeps, input: CreateUploadInput): Promise<Upload> {
  return withWorkspace(context, input, async (workspace) => {
    const freedBytes = await locateTarget(workspace, input, async ({ found }) => {
      // again when it is placed
      if (input.condition) await requireCondition(found, input.condition);
      return found ? freedByUnlink(found.stats) : 0;
    });
    await requireRoom(context, workspace, input, freedBytes);
    const upload = await insert(context, input);
    return upload.sizeBytes > 0 ? upload : placeUpload(context, workspace, upload);
  });
}

async function requireRoom(
  { usage, freeSpace }: UploadDeps,
  { grant }: Workspace,
  { sizeBytes }: CreateUploadInput,
  freedBytes: number,
): Promise<void> {
  const limitBytes = grant.uploadLimitBytes ?? 0;
  if (limitBytes > 0 && sizeBytes > limitBytes) {
    throw fail('UPLOAD_TOO_LARGE', `the node takes files of at most ${limitBytes} bytes`, { limitBytes });
  }
  const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
  try {
    reservation.hold(Math.max(0, allocatedSize(sizeBytes) - freedBytes));
  } finally {
    reservation.release();
  }
  await freeSpace.require(sizeBytes);
}

async function insert(context: UploadDeps, input: CreateUploadInput): Promise<Upload> {
  const { clock, uploads, volumeMutex } = context;
  const { id, grant, metadata, madeWith, overwrite, condition, sizeBytes } = input;
  const { store, files, nodeId } = uploads;
  const now = clock();
  const upload: Upload = {
    id,
    serverId: grant.serverId,
    nodeId,
    path: `/${displayPath(parsePath(input.path, 'path'))}`,
    sizeBytes,
    offsetBytes: 0,
    overwrite,
    condition,
    state: 'receiving',
    metadata,
    madeWith,
    createdAt: now,
    expiresAt: new Date(now.getTime() + uploadTtlMs),
  };
  // this process creates all uploads of a server: the count is exact
  await volumeMutex.run(grant.serverId, async () => {
    if ((await store.countUnfinished(grant.serverId, now)) >= maxUploadsPerServer) {
      const message = `a server has at most ${maxUploadsPerServer} unfinished uploads`;
      throw fail('UPLOAD_LIMIT', message, { limit: maxUploadsPerServer });
    }
    // bytes first: without a record they are swept
    if (await files.makeDirectory(grant.serverId)) await includeUploads(context, grant.serverId);
    await files.create(upload);
    await store.insert(upload);
  });
  return upload;
}

async function includeUploads({ quotas, uploads }: UploadDeps, serverId: string): Promise<void> {
  await withHandle(await openTrusted(uploads.files.directoryOf(serverId)), async (directory) =>
    quotas.include(serverId, directory),
  );
}
