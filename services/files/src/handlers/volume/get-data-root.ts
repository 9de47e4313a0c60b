import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { readDataRoot } from '../../usecases/volumes/read-data-root.js';

export function handleGetDataRoot(context: FilesContext): Handler<VolumeServiceService['getDataRoot']> {
  return async () => readDataRoot(context);
}
