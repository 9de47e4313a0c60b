import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { allocatedSize, freedByUnlink, occupiedBytes } from '../domain/disk-size.js';
import { type Upload, uploadKey, uploadTtlMs } from '../domain/upload.js';
import { withHandle } from '../jail/node.js';
import type { Reservation } from '../volumes/usage.js';
import { fail } from '../reasons.js';
import { type FileAccess, withWorkspace, type Workspace } from '../workspace/workspace.js';
import { locateTarget } from './locate-target.js';
import { placeUpload } from './place-upload.js';
import type { UploadDeps } from './upload-deps.js';

/** Reservations and checks of free space are this far ahead. */
const aheadBytes = 16 * 1024 * 1024;

interface AppendUploadInput extends FileAccess {
  readonly upload: Upload;
  readonly offsetBytes: number;
  readonly body: Readable;
  readonly onBytes: (count: number) => void;
}

/**
 * Keeps what arrived, also on failure; the last piece places the file. Returns the new offset. Throws
 * UPLOAD_OFFSET_MISMATCH, DISK_LIMIT, NODE_DISK_LOW, SERVER_LOCKED, and errors of `placeUpload`.
 */
export async function appendUpload(context: UploadDeps, input: AppendUploadInput): Promise<number> {
  return withWorkspace(context, input, async (workspace) => {
    const { body, upload } = input;
    const end = () => body.destroy(asError(workspace.signal.reason));
    if (workspace.signal.aborted) end();
    workspace.signal.addEventListener('abort', end, { once: true });
    try {
      // a disconnected client's piece may still be in writing
      return await context.fileMutex.run(uploadKey(upload), async () => {
        const offsetBytes = await receive(context, workspace, input);
        if (offsetBytes === upload.sizeBytes) await placeUpload(context, workspace, upload);
        return offsetBytes;
      });
    } finally {
      workspace.signal.removeEventListener('abort', end);
    }
  });
}

async function receive(context: UploadDeps, workspace: Workspace, input: AppendUploadInput): Promise<number> {
  const { uploads } = context;
  const { upload, offsetBytes } = input;
  const freedBytes = await locateTarget(workspace, upload, async ({ found }) =>
    found ? freedByUnlink(found.stats) : 0,
  );
  const file = await uploads.files.open(upload);
  if (!file) throw fail('UPLOAD_NOT_FOUND', 'there is no such upload');
  return withHandle(file, async () => {
    const { size } = await file.stat();
    if (size !== offsetBytes) {
      throw fail('UPLOAD_OFFSET_MISMATCH', 'the piece does not begin where the last one ended', { offsetBytes: size });
    }
    const piece = await Piece.begin(context, workspace, { file, upload, freedBytes, offsetBytes });
    try {
      // destroying the stream would end the request before bytes are saved
      for await (const chunk of input.body.iterator({ destroyOnReturn: false })) {
        await piece.write(chunk as Buffer);
        input.onBytes((chunk as Buffer).length);
      }
    } finally {
      await piece.end();
      await recordPiece(context, upload.id, piece.offsetBytes);
    }
    return piece.offsetBytes;
  });
}

/** Updates list and expiry. */
async function recordPiece({ clock, uploads }: UploadDeps, id: string, offsetBytes: number): Promise<void> {
  await uploads.store.recordPiece(id, offsetBytes, new Date(clock().getTime() + uploadTtlMs));
}

interface PieceOptions {
  readonly file: FileHandle;
  readonly upload: Upload;
  /** Of the file to replace. */
  readonly freedBytes: number;
  readonly offsetBytes: number;
}

class Piece {
  readonly #context: UploadDeps;
  readonly #options: PieceOptions;
  readonly #reservation: Reservation;
  #offsetBytes: number;
  #ensuredBytes: number;
  #occupiedBytes: number;

  static async begin(context: UploadDeps, { grant }: Workspace, options: PieceOptions): Promise<Piece> {
    const reservation = await context.usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
    const occupied = occupiedBytes(await options.file.stat({ bigint: true }));
    return new Piece(context, options, reservation, occupied);
  }

  private constructor(context: UploadDeps, options: PieceOptions, reservation: Reservation, occupied: number) {
    this.#context = context;
    this.#options = options;
    this.#reservation = reservation;
    this.#offsetBytes = options.offsetBytes;
    this.#ensuredBytes = options.offsetBytes;
    this.#occupiedBytes = occupied;
  }

  get offsetBytes(): number {
    return this.#offsetBytes;
  }

  async write(bytes: Buffer): Promise<void> {
    const end = this.#offsetBytes + bytes.length;
    if (end > this.#ensuredBytes) await this.#ensure(end);
    for (let done = 0; done < bytes.length;) {
      const { file } = this.#options;
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, this.#offsetBytes);
      done += bytesWritten;
      this.#offsetBytes += bytesWritten;
    }
  }

  async end(): Promise<void> {
    try {
      await this.#options.file.datasync();
      await this.#commitGrowth();
    } finally {
      this.#reservation.release();
    }
  }

  /** Reserves ahead of `end`; `end()` frees the surplus. */
  async #ensure(end: number): Promise<void> {
    const { upload, freedBytes } = this.#options;
    const ahead = Math.min(upload.sizeBytes, end + aheadBytes);
    await this.#commitGrowth();
    const growth = Math.max(0, allocatedSize(ahead) - this.#occupiedBytes);
    // exceeding the space of the replaced file
    const beyond = Math.max(0, allocatedSize(ahead) - Math.max(freedBytes, this.#occupiedBytes));
    this.#reservation.hold(Math.min(growth, beyond));
    await this.#context.freeSpace.require(growth);
    this.#ensuredBytes = ahead;
    await recordPiece(this.#context, upload.id, this.#offsetBytes);
  }

  /** Otherwise a measurement counts written bytes twice. */
  async #commitGrowth(): Promise<void> {
    const occupied = occupiedBytes(await this.#options.file.stat({ bigint: true }));
    this.#reservation.commit(occupied - this.#occupiedBytes);
    this.#occupiedBytes = occupied;
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('the request has ended');
}
