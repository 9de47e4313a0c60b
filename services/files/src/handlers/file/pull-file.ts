import { invalidFields } from '@panel/kit/errors';
import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { parsePath } from '../../domain/path.js';
import { operationWaitMs, presentOperation } from '../../present/file-operation.js';
import { pullFile as pull } from '../../usecases/files/pull-file.js';

const maxUrlLength = 2048;

/** Download a URL into a file. */
export function pullFile(context: FilesContext): Handler<FileServiceService['pullFile']> {
  return async (request, { idempotencyId, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const url = parseUrl(request.url);
    const directory = request.directory === '' ? [] : parsePath(request.directory, 'directory');
    const { name } = request;
    const operation = await context.operations.start(
      {
        serverId: grant.serverId,
        kind: 'pull',
        idempotencyId,
        run: async (progress) => pull(context, { grant, signal: progress.signal, url, directory, name }, progress),
      },
      operationWaitMs,
    );
    return { operation: presentOperation(operation) };
  };
}

function parseUrl(text: string): URL {
  if (text.length > maxUrlLength || !URL.canParse(text)) throw invalidFields({ url: ['must be an http or https URL'] });
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol)) throw invalidFields({ url: ['must be an http or https URL'] });
  return url;
}
