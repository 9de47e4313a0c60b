import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

interface DataRoot {
  readonly dataRootId: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Throws DATA_ROOT_GONE. */
export async function readDataRoot({
  volumes,
  nodeId: dataRootId,
}: Pick<FilesContext, 'volumes' | 'nodeId'>): Promise<DataRoot> {
  return mapFsErrors(async () => ({ dataRootId, ...(await volumes.space()) }));
}
