import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { enumOf } from '@panel/kit/records';
import { RewriteConfigFilesResponse_Outcome as Outcome, type VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { rewriteConfigFiles } from '../../usecases/volumes/rewrite-config-files.js';
import { readServerId } from '../read-ids.js';
import { readConfigFile } from './read-config-file.js';

const maxFiles = 100;

export function handleRewriteConfigFiles(context: FilesContext): Handler<VolumeServiceService['rewriteConfigFiles']> {
  return async (request, { signal, log }) => {
    const serverId = readServerId(request.serverId);
    if (request.files.length > maxFiles)
      throw invalidFields({ files: [fieldProblem('too_long', `must be at most ${maxFiles}`)] });
    const results = await rewriteConfigFiles(context, {
      serverId,
      files: request.files.map(readConfigFile),
      signal,
      log,
    });
    return {
      results: results.map((result) => ({
        ...result,
        outcome: enumOf(Outcome, result.outcome),
      })),
    };
  };
}
