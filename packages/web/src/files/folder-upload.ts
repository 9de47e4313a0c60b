import type { Api } from '../api/api.js';
import { newKey } from '../api/use-data.js';
import { untilDone } from './operations.js';
import { joinPath } from './paths.js';
import { createTar, type TarEntry } from './tar.js';
import type { UploadQueue } from './upload-queue.js';

interface FolderUpload {
  readonly serverId: string;
  readonly directory: string;
  readonly label: string;
  readonly entries: readonly TarEntry[];
}

/** As one archive, because the panel accepts ten uploads a minute. */
export function uploadFolder(
  api: Api,
  queue: UploadQueue,
  { serverId, directory, label, entries }: FolderUpload,
): void {
  const path = joinPath(directory, `.upload-${crypto.randomUUID().slice(0, 8)}.tar`);
  const params = { id: serverId };
  const idempotencyKey = newKey();
  const remove = async () =>
    api.call(async (client) => client.post('/servers/{id}/files/delete', { params, body: { files: [path] } }));
  const unpack = async (): Promise<void> => {
    const body = { path, root: directory, overwrite: true };
    try {
      const begun = await api.call(async (client) =>
        client.post('/servers/{id}/files/decompress', { params, body, idempotencyKey }),
      );
      await untilDone(api, serverId, begun.data);
    } catch (error) {
      // The extraction's error is the relevant one.
      await remove().catch(() => undefined);
      throw error;
    }
    await remove();
  };
  queue.add(label, { path, body: createTar(entries), after: unpack });
}
