import type { Readable } from 'node:stream';
import { type AppError, invalidFields, isAppError } from '@panel/kit/errors';
import { DataStore, Upload as TusUpload } from '@tus/server';
import type { LinkCredential } from '../domain/download-link.js';
import { createFileGuards } from '../domain/file-guard.js';
import { parsePath } from '../domain/path.js';
import { type Upload, uploadTtlMs } from '../domain/upload.js';
import type { writtenDirectly, writtenThroughGateway } from '../metrics.js';
import { fail } from '../reasons.js';
import { appendUpload } from './append-upload.js';
import { createUpload } from './create-upload.js';
import { deleteUpload } from './delete-upload.js';
import { checkUpload, findUpload } from './find-upload.js';
import type { UploadDeps } from './upload-deps.js';
import type { FileAccess } from '../workspace/workspace.js';

export interface UploadDataStoreOptions {
  readonly access: FileAccess;
  /** Of a new upload. */
  readonly directory: string;
  readonly overwrite: boolean;
  /** Of a new upload. */
  readonly condition: Upload['condition'];
  readonly madeWith: LinkCredential | null;
  /** Metric labels. */
  readonly counted: typeof writtenThroughGateway | typeof writtenDirectly;
}

/** For one server and exchange. */
export class UploadDataStore extends DataStore {
  readonly #context: UploadDeps;
  readonly #options: UploadDataStoreOptions;
  #writing: Promise<void> = Promise.resolve();
  latest: Upload | null = null;
  /** Of a piece. */
  failure: AppError | null = null;

  constructor(context: UploadDeps, options: UploadDataStoreOptions) {
    super();
    this.#context = context;
    this.#options = options;
    this.extensions = ['creation', 'creation-with-upload', 'expiration', 'termination'];
  }

  override async create(wanted: TusUpload): Promise<TusUpload> {
    const { access, condition, directory, madeWith, overwrite } = this.#options;
    const metadata = wanted.metadata ?? {};
    const filename = metadata['filename'] ?? '';
    // a nameless file would be the directory itself
    if (filename === '' || parsePath(filename, 'filename').length === 0) {
      throw invalidFields({ filename: ['must be in Upload-Metadata, as the name of a file'] });
    }
    this.latest = await createUpload(this.#context, {
      ...access,
      id: wanted.id,
      path: `${directory}/${filename}`,
      sizeBytes: wanted.size ?? 0,
      overwrite,
      condition,
      metadata,
      madeWith,
    });
    return wanted;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    await this.#findVisible(id);
    this.latest = await checkUpload(this.#context, this.#options.access, id);
    const { sizeBytes, offsetBytes, metadata, expiresAt } = this.latest;
    return new TusUpload({
      id,
      size: sizeBytes,
      offset: offsetBytes,
      metadata: { ...metadata },
      // the tus server adds the lifetime
      creation_date: new Date(expiresAt.getTime() - uploadTtlMs).toISOString(),
    });
  }

  override async write(body: Readable, id: string, offsetBytes: number): Promise<number> {
    const { access, counted } = this.#options;
    const onBytes = (count: number) => this.#context.metrics.bytes.inc(counted, count);
    const upload = this.latest ?? (await findUpload(this.#context, access.grant.serverId, id));
    const arrived = await this.#keepFailure(async () =>
      appendUpload(this.#context, { ...access, upload, offsetBytes, body, onBytes }),
    );
    const state = arrived === upload.sizeBytes ? 'completed' : upload.state;
    this.latest = { ...upload, offsetBytes: arrived, state };
    return arrived;
  }

  /** The tus server responds to a disconnect before the write ends. */
  async waitForWrite(): Promise<void> {
    await this.#writing;
  }

  async #keepFailure<T>(work: () => Promise<T>): Promise<T> {
    const writing = work();
    this.#writing = writing.then(
      () => undefined,
      (error: unknown) => {
        if (isAppError(error)) this.failure = error;
      },
    );
    return writing;
  }

  override async remove(id: string): Promise<void> {
    await deleteUpload(this.#context, await this.#findVisible(id));
    this.latest = null;
  }

  /** Throws UPLOAD_NOT_FOUND, also if hidden. */
  async #findVisible(id: string): Promise<Upload> {
    const { grant } = this.#options.access;
    const upload = await findUpload(this.#context, grant.serverId, id);
    if (!createFileGuards(grant).readGuard.hides(upload.path.slice(1), false)) return upload;
    throw fail('UPLOAD_NOT_FOUND', 'there is no such upload');
  }

  override getExpiration(): number {
    return uploadTtlMs;
  }
}
