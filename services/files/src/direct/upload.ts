import type { FileGrant } from '@panel/rpc';
import type { Upload } from '../domain/upload.js';
import { exchangeUpload } from '../usecases/files/exchange-upload.js';
import { findUpload } from '../uploads/find-upload.js';
import { writtenDirectly } from '../metrics.js';
import { fail } from '../reasons.js';
import type { DirectExchange } from './exchange.js';
import { requireSendingPace } from './pace.js';

/** For existing uploads; the gateway creates them. Throws OPERATION_LIMIT, UPLOAD_INCOMPLETE, errors of `exchangeUpload`. */
export async function upload(exchange: DirectExchange): Promise<void> {
  const { authority, context, id, ip, request, response, serverId, uploads } = exchange;
  const method = request.method ?? '';
  const found = await findUpload(context, serverId, id);
  if (!found.madeWith || method === 'POST') throw fail('UPLOAD_NOT_FOUND', 'there is no such upload');
  const permission = found.overwrite ? 'file.update' : 'file.create';
  const grant = await authority.grantFor({ madeWith: found.madeWith, serverId, permission, ip });
  const leave = method === 'PATCH' ? uploads.take(grant) : () => undefined;
  try {
    const { headers, status } = await receive(exchange, found, grant);
    response.writeHead(status, headers).end();
  } finally {
    leave();
  }
}

async function receive(exchange: DirectExchange, { madeWith, overwrite }: Upload, grant: FileGrant) {
  const { context, id, monotonicClock, request, signal } = exchange;
  let isSlow = false;
  const cut = (): void => {
    isSlow = true;
  };
  // an early return must keep the connection
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  const answer = await exchangeUpload(context, {
    access: { grant, signal },
    method: request.method ?? '',
    headers: textsOf(request.headers),
    uploadId: id,
    directory: '/',
    overwrite,
    condition: null,
    madeWith,
    body: requireSendingPace(chunks, { clock: monotonicClock, cut }),
    location: null,
    counted: writtenDirectly,
  });
  const { upload: after } = answer;
  if (!isSlow || after === null || after.state === 'completed') return answer;
  throw fail('UPLOAD_INCOMPLETE', 'the bytes came too slowly', { offsetBytes: after.offsetBytes });
}

function textsOf(headers: DirectExchange['request']['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
