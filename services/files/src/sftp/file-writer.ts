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

/** Room is held this far ahead of the writes, so that most of them cost no system call more. */
const aheadBytes = 16 * 1024 * 1024;

/** Of stat(2): length, and what the file takes on the disk. */
export interface DiskStats {
  readonly size: bigint;
  readonly blocks: bigint;
}

interface FileWriterOptions {
  readonly context: FilesContext;
  readonly grant: FileGrant;
  /** Open for writing; the writer closes it. */
  readonly file: OpenFile;
  /** As it is shown, from the server's root. */
  readonly path: string;
  readonly reservation: Reservation;
  readonly stats: DiskStats;
  /** Whether there is an earlier content to keep. */
  readonly isNew: boolean;
}

/**
 * Writes to a file in place, at any offset, within the limits of the server: SFTP clients resume and rewrite parts of files,
 * so the file cannot be replaced as a whole. The earlier content of a text file is kept before its first change.
 */
export class FileWriter {
  readonly #options: FileWriterOptions;
  /** When the growth was counted last. */
  #stats: DiskStats;
  /** Room is held for a file of this length. */
  #ensuredBytes = 0;
  #isVersionSaved: boolean;
  /** The last of the changes, which run one after the other: a crash leaves no gap before the end, where a client resumes. */
  #last: Promise<void> = Promise.resolve();
  #isChanged = false;
  /** Since the growth was counted last. */
  #mayHaveGrown = false;
  /** Where the next appended bytes go; unknown until the first of them come. */
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
   * As `write`, at the end of the file, whatever offset the client gives. A client that resumes a transfer (`reput` of OpenSSH)
   * reads the length before it opens the file and begins there: bytes of the broken transfer that arrived since are overwritten.
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
      // blocks may be free now, so the next write has to hold room again
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
    // its caller gets its failure
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

  /** Keep the earlier content and hold room for a file of this length. */
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
      // near the limit: there is room for less
      return false;
    }
  }

  /** Throws DISK_LIMIT. */
  #holdExactly(lengthBytes: number): number {
    this.#options.reservation.hold(maxGrowth(lengthBytes, this.#stats));
    return lengthBytes;
  }

  /** Count what was written as used, so that a measurement in between does not count it twice. */
  async #commitGrowth(): Promise<void> {
    if (!this.#mayHaveGrown) return;
    this.#mayHaveGrown = false;
    const before = this.#stats;
    this.#stats = await this.#options.file.stat({ bigint: true });
    this.#options.reservation.commit(occupiedBytes(this.#stats) - occupiedBytes(before));
  }
}
