import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { Server } from '@tus/server';
import type { FilesContext } from '../../context.js';
import { directPath } from '../../domain/direct-address.js';
import type { Upload } from '../../domain/upload.js';
import { fail } from '../../reasons.js';
import type { UploadDeps } from '../../uploads/upload-deps.js';
import { UploadDataStore, type UploadDataStoreOptions } from '../../uploads/upload-data-store.js';

type ExchangeDeps = UploadDeps & Pick<FilesContext, 'directAddresses'>;

interface UploadExchange extends UploadDataStoreOptions {
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a new one. */
  readonly uploadId: string;
  readonly body: AsyncIterable<Buffer>;
  /** Of a new upload; null: creates none. */
  readonly location: UploadLocation | null;
}

/** Direct if available, otherwise through the gateway. */
interface UploadLocation {
  /** Of this process; empty: unknown. */
  readonly publicUrl: string;
  readonly locationPrefix: string;
  readonly locationSuffix: string;
}

interface UploadAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly upload: Upload | null;
}

const protocolHeaders = /^(content-(type|length)|tus-resumable|upload-[a-z-]+)$/;
const answerHeaders = /^(tus-[a-z-]+|upload-[a-z-]+|location|cache-control)$/;
const methods: readonly string[] = ['POST', 'HEAD', 'PATCH', 'DELETE'];
const methodsWithBody: readonly string[] = ['POST', 'PATCH'];

/** Throws UPLOAD_REQUEST_INVALID, UPLOAD_NOT_FOUND, UPLOAD_OFFSET_MISMATCH, BUSY, and errors of the use cases. */
export async function exchangeUpload(context: ExchangeDeps, exchange: UploadExchange): Promise<UploadAnswer> {
  if (!methods.includes(exchange.method)) throw invalidRequest(400, 'the method is none of the tus protocol');
  const store = new UploadDataStore(context, exchange);
  let failure: unknown;
  const server = new Server({
    path: '/uploads',
    datastore: store,
    locker: context.uploads.locker,
    namingFunction: () => randomUUID(),
    generateUrl: (_request, { id }) => locationOf(context, exchange, id),
    onResponseError: (_request, error) => {
      failure = error;
      return undefined;
    },
  });
  const response = await server.handleWeb(requestOf(exchange));
  await store.waitForWrite();
  // the tus server mistakes a failed piece for a disconnect
  if (store.failure) throw store.failure;
  if (failure !== undefined) throw toFailure(failure, store.latest);
  if (response.status >= 400) throw statusError(response.status, (await response.text()).trim(), store.latest);
  const headers = [...response.headers].filter(([name]) => answerHeaders.test(name));
  return { status: response.status, headers: Object.fromEntries(headers), upload: store.latest };
}

function locationOf({ directAddresses }: ExchangeDeps, { access, location }: UploadExchange, id: string): string {
  if (location === null) return '';
  if (directAddresses === null || location.publicUrl === '') {
    return `${location.locationPrefix}${id}${location.locationSuffix}`;
  }
  return `${location.publicUrl}/${directPath(directAddresses, 'uploads', access.grant.serverId, id)}`;
}

function requestOf({ method, headers, uploadId, body }: UploadExchange) {
  const retained = Object.entries(headers).filter(([name]) => protocolHeaders.test(name));
  return new Request(`http://files/uploads/${uploadId}`, {
    method,
    headers: Object.fromEntries(retained),
    ...(methodsWithBody.includes(method) ? { body: ReadableStream.from(body), duplex: 'half' } : {}),
  });
}

/** tus errors have status and text. */
function toFailure(error: unknown, upload: Upload | null): unknown {
  if (isAppError(error) || typeof error !== 'object' || error === null || !('status_code' in error)) return error;
  const text = 'body' in error ? String(error.body).trim() : '';
  return statusError(Number(error.status_code), text, upload);
}

function statusError(status: number, text: string, upload: Upload | null) {
  if (status === 404 || status === 410) return fail('UPLOAD_NOT_FOUND', 'there is no such upload');
  if (status === 409) {
    const facts = upload === null ? {} : { offsetBytes: upload.offsetBytes };
    return fail('UPLOAD_OFFSET_MISMATCH', 'the piece does not begin where the last one ended', facts);
  }
  if (status >= 500 && status !== 501) return fail('BUSY', 'the upload is busy: try again');
  return invalidRequest(status === 412 ? 412 : 400, text);
}

function invalidRequest(status: 400 | 412, text: string) {
  return fail('UPLOAD_REQUEST_INVALID', `the request is none of the tus protocol: ${text}`, { status });
}
