import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../context.js';
import { maxGrowth, occupiedBytes } from '../domain/disk-size.js';
import { mapFsErrors } from '../jail/errno.js';
import type { OpenFile } from '../jail/open-file.js';
import type { Reservation } from '../volumes/usage.js';
import { fail } from '../reasons.js';
import { mapGrowthErrors } from '../quotas/disk-quotas.js';
import { fitTrash } from '../trash/fit-trash.js';
import { saveVersion } from '../versions/save-version.js';

/** Reserved ahead, to save system calls. */
const aheadBytes = 16 * 1024 * 1024;

/** From stat(2). */
export interface DiskStats {
  readonly size: bigint;
  readonly blocks: bigint;
}

interface FileWriterOptions {
  readonly context: FilesContext;
  readonly grant: FileGrant;
  /** The writer closes it. */
  readonly file: OpenFile;
  /** From the server's root. */
  readonly path: string;
  readonly reservation: Reservation;
  readonly stats: DiskStats;
  readonly isNew: boolean;
}

/**
 * Writes in place: SFTP clients resume and rewrite parts, which excludes an atomic replacement. Saves a text file's
 * earlier content before the first change.
 */
export class FileWriter {
  readonly #options: FileWriterOptions;
  #stats: DiskStats;
  /** Length with reserved space. */
  #ensuredBytes = 0;
  #isVersionSaved: boolean;
  /** In sequence: a crash leaves no gap before the end, where clients resume. */
  #last: Promise<void> = Promise.resolve();
  #isChanged = false;
  #mayHaveGrown = false;
  /** Undefined before the first append. */
  #appendAt: number | undefined;
  #lengthBytes: number;

  constructor(options: FileWriterOptions) {
    this.#options = options;
    this.#stats = options.stats;
    this.#isVersionSaved = options.isNew;
    this.#lengthBytes = Number(options.stats.size);
  }

  get isChanged(): boolean {
    return this.#isChanged || this.#options.isNew;
  }

  /** Throws DISK_LIMIT, UPLOAD_TOO_LARGE, NODE_DISK_LOW, SERVER_LOCKED. */
  async write(bytes: Buffer, offset: number): Promise<void> {
    await this.#change(async () => this.#writeAt(bytes, offset));
  }

  /**
   * Ignores the offset, except for a resuming client (`reput` of OpenSSH): it starts at the length it read before the
   * open, and overwrites bytes of the broken transfer that arrived since.
   */
  async append(bytes: Buffer, offset: number): Promise<void> {
    await this.#change(async () => {
      const isResumed = offset > 0 && offset < this.#lengthBytes;
      const at = this.#appendAt ?? (isResumed ? offset : this.#lengthBytes);
      await this.#writeAt(bytes, at);
      this.#appendAt = at + bytes.length;
    });
  }

  async truncate(lengthBytes: number): Promise<void> {
    await this.#change(async () => {
      await this.#prepare(lengthBytes);
      this.#mayHaveGrown = true;
      await this.#options.file.truncate(lengthBytes);
      this.#lengthBytes = lengthBytes;
      this.#appendAt = undefined;
      // may free blocks: the next write reserves again
      this.#ensuredBytes = 0;
    });
  }

  async setMode(mode: number): Promise<void> {
    await this.#change(async () => this.#options.file.chmod(mode));
  }

  async setTimes(accessed: number, modified: number): Promise<void> {
    await this.#change(async () => this.#options.file.utimes(accessed, modified));
  }

  async sync(): Promise<void> {
    await mapFsErrors(async () => this.#options.file.sync());
  }

  async close(): Promise<void> {
    const { context, file, grant, reservation } = this.#options;
    try {
      await this.#last;
      await this.#commitGrowth();
    } finally {
      reservation.release();
      await file.close();
    }
    fitTrash(context, grant);
  }

  async #change(work: () => Promise<void>): Promise<void> {
    const { context, grant } = this.#options;
    this.#isChanged = true;
    const before = this.#last;
    const change = mapGrowthErrors(context.quotas, async () =>
      context.freezes.changeBriefly(grant.serverId, async () => {
        await before;
        await work();
      }),
    );
    // its caller receives the error
    this.#last = change.catch(() => undefined);
    await change;
  }

  async #writeAt(bytes: Buffer, offset: number): Promise<void> {
    await this.#prepare(offset + bytes.length);
    this.#mayHaveGrown = true;
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#options.file.write(bytes, done, bytes.length - done, offset + done);
      done += bytesWritten;
    }
  }

  async #prepare(lengthBytes: number): Promise<void> {
    const { context, file, grant, path } = this.#options;
    if (!this.#isVersionSaved) {
      await saveVersion(context, grant, path, file);
      this.#isVersionSaved = true;
    }
    if (lengthBytes <= this.#ensuredBytes) return;
    const limitBytes = grant.uploadLimitBytes ?? 0;
    if (limitBytes > 0 && lengthBytes > limitBytes) {
      throw fail('UPLOAD_TOO_LARGE', `the node takes files of at most ${limitBytes} bytes`, { limitBytes });
    }
    await this.#commitGrowth();
    const ahead = limitBytes > 0 ? Math.min(lengthBytes + aheadBytes, limitBytes) : lengthBytes + aheadBytes;
    const ensured = this.#hold(ahead) ? ahead : this.#holdExactly(lengthBytes);
    await context.freeSpace.require(maxGrowth(lengthBytes, this.#stats));
    this.#ensuredBytes = ensured;
  }

  #hold(lengthBytes: number): boolean {
    try {
      this.#holdExactly(lengthBytes);
      return true;
    } catch {
      // near the limit: less may fit
      return false;
    }
  }

  /** Throws DISK_LIMIT. */
  #holdExactly(lengthBytes: number): number {
    this.#options.reservation.hold(maxGrowth(lengthBytes, this.#stats));
    return lengthBytes;
  }

  /** Otherwise a measurement counts written bytes twice. */
  async #commitGrowth(): Promise<void> {
    if (!this.#mayHaveGrown) return;
    this.#mayHaveGrown = false;
    const before = this.#stats;
    this.#stats = await this.#options.file.stat({ bigint: true });
    this.#options.reservation.commit(occupiedBytes(this.#stats) - occupiedBytes(before));
  }
}
