import type { FileServiceService } from '@panel/protos/files';
import { invalidFields } from '@panel/kit/errors';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { parsePath } from '../../domain/path.js';
import { presentOperation } from '../../present/file-operation.js';
import { pullFile } from '../../usecases/files/pull-file.js';
import { readGrant } from '../read-grant.js';

const maxUrlLength = 2048;

export function handlePullFile(context: FilesContext): Handler<FileServiceService['pullFile']> {
  return async (request, { idempotencyId, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const url = parseUrl(request.url);
    const directory = request.directory === '' ? [] : parsePath(request.directory, 'directory');
    const operation = await pullFile(context, { grant, idempotencyId, url, directory, name: request.name });
    return { operation: presentOperation(operation) };
  };
}

function parseUrl(text: string): URL {
  if (text.length > maxUrlLength || !URL.canParse(text)) throw invalidFields({ url: ['must be an http or https URL'] });
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol)) throw invalidFields({ url: ['must be an http or https URL'] });
  return url;
}
