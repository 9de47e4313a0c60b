import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type S3Fault =
  | 'none'
  | 'hangs'
  | 'refuses'
  | 'flips a byte'
  | 'damages what is put into data/'
  | 'refuses every first attempt'
  | 'loses the last answer of an upload'
  | 'stops in the middle of an object'
  | 'ends in the middle of an object'
  | 'shortens an object'
  | 'announces a smaller object'
  | 'announces a larger object';

const announcedMore: Partial<Record<S3Fault, number>> = {
  'announces a smaller object': -1,
  'announces a larger object': 1,
};

/** In-memory S3 subset for backups; ignores signatures. */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, { key: string; at: Date; parts: Map<number, Buffer> }>();
  uploadsPerPage = 1_000;
  fault: S3Fault = 'none';
  readonly #refused = new Set<string>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://s3');
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.fault === 'hangs') return;
    if (this.fault === 'refuses') return void response.writeHead(403).end(xmlError('AccessDenied'));
    const attempt = `${request.method} ${request.url}`;
    if (this.fault === 'refuses every first attempt' && !this.#refused.has(attempt)) {
      this.#refused.add(attempt);
      return void response.writeHead(503).end(xmlError('SlowDown'));
    }
    const body = unchunked(request, Buffer.concat(chunks));
    if (key === '') this.#list(query, response);
    else if (request.method === 'POST') this.#post(key, query, response);
    else if (request.method === 'PUT') this.#put(key, body, query, response);
    else if (request.method === 'DELETE') this.#delete(key, query, response);
    else this.#get(key, request, response);
  }

  #post(key: string, query: URLSearchParams, response: ServerResponse): void {
    const id = query.get('uploadId');
    if (id === null) {
      const created = randomUUID();
      this.uploads.set(created, { key, at: new Date(), parts: new Map() });
      const xml = `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${created}</UploadId></InitiateMultipartUploadResult>`;
      return void response.writeHead(200).end(xml);
    }
    const upload = this.uploads.get(id);
    if (!upload) return void response.writeHead(404).end(xmlError('NoSuchUpload'));
    const parts = [...upload.parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
    this.#store(key, Buffer.concat(parts));
    this.uploads.delete(id);
    if (this.fault === 'loses the last answer of an upload') return void response.destroy();
    response.writeHead(200).end(`<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`);
  }

  #put(key: string, body: Buffer, query: URLSearchParams, response: ServerResponse): void {
    const id = query.get('uploadId');
    if (id === null) this.#store(key, body);
    else this.uploads.get(id)?.parts.set(Number(query.get('partNumber')), body);
    response.writeHead(200, { ETag: `"${randomUUID()}"` }).end();
  }

  #store(key: string, body: Buffer): void {
    const stored = Buffer.from(body);
    const isDamaged = this.fault === 'damages what is put into data/' && key.includes('/data/');
    if ((this.fault === 'flips a byte' || isDamaged) && stored.length > 20)
      stored.writeUInt8(stored.readUInt8(20) ^ 1, 20);
    this.objects.set(key, stored);
  }

  #delete(key: string, query: URLSearchParams, response: ServerResponse): void {
    const id = query.get('uploadId');
    if (id === null) this.objects.delete(key);
    else this.uploads.delete(id);
    response.writeHead(204).end();
  }

  #get(key: string, request: IncomingMessage, response: ServerResponse): void {
    const object = this.objects.get(key);
    if (!object) return void response.writeHead(404).end(request.method === 'HEAD' ? undefined : xmlError('NoSuchKey'));
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const part =
      from === undefined ? object : object.subarray(Number(from), to === '' ? object.length : Number(to) + 1);
    const isHead = request.method === 'HEAD';
    const announced = part.length + (isHead ? (announcedMore[this.fault] ?? 0) : 0);
    const sent = this.fault === 'shortens an object' ? part.subarray(0, -1) : part;
    const length = this.fault === 'shortens an object' && !isHead ? sent.length : announced;
    response.writeHead(from === undefined ? 200 : 206, { 'content-length': length, ...attributes });
    if (isHead) return void response.end();
    const half = part.subarray(0, part.length / 2);
    if (this.fault === 'stops in the middle of an object') return void response.write(half);
    if (this.fault === 'ends in the middle of an object') return void response.write(half, () => response.destroy());
    response.end(sent);
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const prefix = query.get('prefix') ?? '';
    if (query.has('uploads')) {
      const all = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix));
      const begin = all.findIndex(([id]) => id === query.get('upload-id-marker')) + 1;
      const found = all.slice(begin, begin + this.uploadsPerPage);
      const xml = found.map(
        ([id, { key, at }]) =>
          `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at.toISOString()}</Initiated></Upload>`,
      );
      const [last] = found.at(-1) ?? [];
      const next = `<NextKeyMarker>${found.at(-1)?.[1].key}</NextKeyMarker><NextUploadIdMarker>${last}</NextUploadIdMarker>`;
      const page =
        begin + found.length < all.length
          ? `<IsTruncated>true</IsTruncated>${next}`
          : '<IsTruncated>false</IsTruncated>';
      return void response
        .writeHead(200)
        .end(`<ListMultipartUploadsResult>${page}${xml.join('')}</ListMultipartUploadsResult>`);
    }
    if (query.has('location')) return void response.writeHead(200).end('<LocationConstraint></LocationConstraint>');
    const found = [...this.objects].filter(([key]) => key.startsWith(prefix));
    const modified = new Date(0).toISOString();
    const xml = found
      .map(
        ([key, { length }]) =>
          `<Contents><Key>${key}</Key><Size>${length}</Size><LastModified>${modified}</LastModified></Contents>`,
      )
      .join('');
    response.writeHead(200).end(`<ListBucketResult><IsTruncated>false</IsTruncated>${xml}</ListBucketResult>`);
  }
}

const attributes = { 'last-modified': new Date(0).toUTCString(), etag: '"an-etag"' };

/** "aws-chunked" (AWS signature version 4). */
function unchunked({ headers }: IncomingMessage, body: Buffer): Buffer {
  if (!String(headers['x-amz-content-sha256']).startsWith('STREAMING-')) return body;
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const lineEnd = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (length === 0) break;
    pieces.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return Buffer.concat(pieces);
}

function xmlError(code: string): string {
  return `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
}
