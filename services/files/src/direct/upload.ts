import { exchangeUpload } from '../usecases/files/exchange-upload.js';
import { findUpload } from '../uploads/find-upload.js';
import { writtenDirectly } from '../metrics.js';
import { fail } from '../reasons.js';
import type { DirectExchange } from './exchange.js';

/** For existing uploads; the gateway creates them. Throws errors of `exchangeUpload`. */
export async function upload(exchange: DirectExchange): Promise<void> {
  const { authority, context, id, ip, request, response, serverId, signal } = exchange;
  const method = request.method ?? '';
  const found = await findUpload(context, serverId, id);
  if (!found.madeWith || method === 'POST') throw fail('UPLOAD_NOT_FOUND', 'there is no such upload');
  const permission = found.overwrite ? 'file.update' : 'file.create';
  const grant = await authority.grantFor({ madeWith: found.madeWith, serverId, permission, ip });
  const { headers, status } = await exchangeUpload(context, {
    access: { grant, signal },
    method,
    headers: textsOf(request.headers),
    uploadId: id,
    directory: '/',
    overwrite: found.overwrite,
    madeWith: found.madeWith,
    // an early return must keep the connection
    body: request.iterator({ destroyOnReturn: false }),
    location: null,
    counted: writtenDirectly,
  });
  response.writeHead(status, headers).end();
}

function textsOf(headers: DirectExchange['request']['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
