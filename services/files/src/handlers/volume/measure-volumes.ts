import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { measureVolumes } from '../../usecases/volumes/measure-volumes.js';
import { readServerId } from '../read-ids.js';

const maxVolumes = 1_000;

export function handleMeasureVolumes(context: FilesContext): Handler<VolumeServiceService['measureVolumes']> {
  return async ({ serverIds }) => {
    if (serverIds.length > maxVolumes)
      throw invalidFields({ server_ids: [fieldProblem('too_long', `must be at most ${maxVolumes}`)] });
    return { sizes: await measureVolumes(context, serverIds.map(readServerId)) };
  };
}
