import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type MultipartUpload,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { AppError } from '@panel/kit/errors';
import { fail } from '../../reasons.js';
import type { BlobStore } from '../storage/blob-store.js';

export interface S3Config {
  readonly bucket: string;
  /** Undefined: AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Key prefix; ends with a slash unless empty. */
  readonly prefix: string;
  readonly usesPathStyle: boolean;
}

/** S3's minimum (parts are in memory) and maximum, minus a reserve for growing volumes. */
const minPartBytes = 5 * 1024 * 1024;
const maxParts = 9_000;
const partsAtOnce = 2;
const connectMs = 5_000;
/** Idle limit; then the storage is unavailable. */
const defaultIdleMs = 60_000;
/** Uploads of other nodes may run for hours. */
const orphanAgeMs = 48 * 60 * 60_000;

export function createS3Blobs(config: S3Config, clock: () => Date, idleMs = defaultIdleMs): BlobStore {
  const client = createClient(config, idleMs);
  const { bucket: Bucket, prefix } = config;
  const abortUpload = async ({ Key, UploadId }: MultipartUpload) =>
    void (await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })));
  const isStored = async (Key: string) =>
    client.send(new HeadObjectCommand({ Bucket, Key })).then(
      () => true,
      () => false,
    );
  const uploadsOf = async (Prefix: string) => {
    const found: MultipartUpload[] = [];
    let from: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> = {};
    for (;;) {
      const page = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...from }));
      found.push(...(page.Uploads ?? []));
      if (!page.IsTruncated || page.NextKeyMarker === undefined) return found;
      from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  };
  return {
    put: async (key, content, expectedBytes, signal) =>
      mapS3Errors(async () => {
        const Body = Readable.from(content, { objectMode: false });
        const params = { Bucket, Key: prefix + key, Body, ContentType: 'application/gzip' };
        const partSize = Math.max(minPartBytes, Math.ceil(expectedBytes / maxParts));
        const upload = new Upload({ client, params, partSize, queueSize: partsAtOnce });
        const abort = () => void upload.abort();
        signal.addEventListener('abort', abort, { once: true });
        try {
          signal.throwIfAborted();
          await upload.done();
        } catch (error) {
          signal.throwIfAborted();
          // The last response was lost; its retry found the upload complete.
          if (error instanceof S3ServiceException && error.name === 'NoSuchUpload' && (await isStored(prefix + key)))
            return;
          // the content's error caused that of the upload
          throw Body.errored ?? error;
        } finally {
          signal.removeEventListener('abort', abort);
          Body.destroy();
        }
      }),
    size: async (key) =>
      mapS3Errors(
        async () => (await client.send(new HeadObjectCommand({ Bucket, Key: prefix + key }))).ContentLength ?? 0,
      ),
    read: async function* (key, { offset, length }, signal) {
      if (length <= 0) return;
      const Range = `bytes=${offset}-${offset + length - 1}`;
      const { Body } = await mapS3Errors(async () =>
        client.send(new GetObjectCommand({ Bucket, Key: prefix + key, Range }), { abortSignal: signal }),
      );
      if (!(Body instanceof Readable)) throw unavailable(undefined);
      yield* withIdleTimeout(Body, idleMs, signal);
    },
    delete: async (key) =>
      mapS3Errors(async () => {
        for (const upload of await uploadsOf(prefix + key)) await abortUpload(upload);
        await client.send(new DeleteObjectCommand({ Bucket, Key: prefix + key }));
      }),
    list: async function* (below) {
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: prefix + below });
      for (;;) {
        const page = await mapS3Errors(async () => pages.next());
        if (page.done === true) return;
        for (const { Key } of page.value.Contents ?? []) if (Key !== undefined) yield Key.slice(prefix.length);
      }
    },
    sweep: async (signal) =>
      mapS3Errors(async () => {
        for (const upload of await uploadsOf(prefix)) {
          signal.throwIfAborted();
          const ageMs = clock().getTime() - (upload.Initiated?.getTime() ?? clock().getTime());
          if (ageMs > orphanAgeMs) await abortUpload(upload);
        }
      }),
  };
}

function createClient({ endpoint, region, accessKey, secretKey, usesPathStyle }: S3Config, idleMs: number): S3Client {
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    forcePathStyle: usesPathStyle,
    maxAttempts: 4,
    // storages other than AWS reject unrequested checksums; verification reads backups back
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMs, requestTimeout: idleMs, throwOnRequestTimeout: true },
  });
}

async function* withIdleTimeout(body: Readable, idleMs: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(() => body.destroy(unavailable(undefined)), idleMs);
  };
  const abort = () => body.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    restart();
    for await (const chunk of body) {
      clearTimeout(timer);
      yield chunk as Buffer;
      restart();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof AppError ? error : unavailable(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    body.destroy();
  }
}

async function mapS3Errors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    if (status === 404) throw fail('BACKUP_MISSING', 'the backup is not in its bucket any more', {}, { cause: error });
    throw unavailable(error);
  }
}

/** The error name contains no secret. */
function unavailable(error: unknown): AppError {
  const name = error instanceof Error ? error.name : 'timeout';
  return fail('STORAGE_UNAVAILABLE', `the bucket for backups failed: ${name}`, {}, { cause: error });
}
