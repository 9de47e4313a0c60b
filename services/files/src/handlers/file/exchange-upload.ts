import { abortableIterable } from '@panel/kit/async';
import { invalidFields } from '@panel/kit/errors';
import type { ExchangeUploadRequest, ExchangeUploadRequest_Start, FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { LinkCredential } from '../../domain/download-link.js';
import { uuid } from '../../domain/server-id.js';
import { hasCondition, type WriteCondition } from '../../domain/write-condition.js';
import { writtenThroughGateway } from '../../metrics.js';
import { presentUpload } from '../../present/upload.js';
import { fail } from '../../reasons.js';
import { exchangeUpload } from '../../usecases/files/exchange-upload.js';
import { readUploadGrant } from '../read-grant.js';
import { readWriteCondition } from '../read-write-condition.js';

export function handleExchangeUpload(context: FilesContext): Handler<FileServiceService['exchangeUpload']> {
  return async (request, { actor, signal, permission }) => {
    const messages = abortableIterable(request, signal);
    try {
      const start = requireStart((await messages.next()).value);
      const grant = readUploadGrant(context, start.grant, permission);
      const { upload, ...answer } = await exchangeUpload(context, {
        access: { grant, signal },
        method: start.method,
        headers: start.headers,
        uploadId: start.uploadId,
        directory: start.directory,
        overwrite: start.overwrite,
        condition: conditionOf(start),
        madeWith: credentialOf(actor),
        body: bytesOf(messages),
        location: start,
        counted: writtenThroughGateway,
      });
      return { ...answer, upload: upload ? presentUpload(upload) : undefined };
    } finally {
      await messages.return(undefined);
    }
  };
}

function requireStart(request: ExchangeUploadRequest | undefined): ExchangeUploadRequest_Start {
  if (request?.part?.$case !== 'start') throw invalidFields({ part: ['must be the start in the first message'] });
  const start = request.part.value;
  if (start.method !== 'POST' && !uuid.test(start.uploadId)) {
    throw fail('UPLOAD_NOT_FOUND', 'there is no such upload');
  }
  return start;
}

function conditionOf(start: ExchangeUploadRequest_Start): WriteCondition | null {
  const condition = readWriteCondition(start);
  if (!hasCondition(condition)) return null;
  if (start.overwrite) return condition;
  throw invalidFields({ overwrite: ['must be true for an upload with a condition'] });
}

async function* bytesOf(messages: AsyncIterable<ExchangeUploadRequest>): AsyncGenerator<Buffer> {
  for await (const { part } of messages) {
    if (part?.$case !== 'chunk') throw invalidFields({ part: ['must be chunks after the start'] });
    yield part.value;
  }
}

type Actor = Parameters<Handler<FileServiceService['exchangeUpload']>>[1]['actor'];

function credentialOf(actor: Actor): LinkCredential | null {
  return actor.kind === 'user' ? { method: actor.method, id: actor.credentialId } : null;
}
