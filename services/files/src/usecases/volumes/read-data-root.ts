import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

/** The room of the volumes of this node. */
export async function readDataRoot({
  volumes,
}: Pick<FilesContext, 'volumes'>): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
  return mapFsErrors(async () => volumes.space());
}
