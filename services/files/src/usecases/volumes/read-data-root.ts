import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

export async function readDataRoot({
  volumes,
}: Pick<FilesContext, 'volumes'>): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
  return mapFsErrors(async () => volumes.space());
}
