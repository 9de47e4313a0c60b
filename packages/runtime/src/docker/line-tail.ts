import type { Readable } from 'node:stream';
import type { Engine } from './engine.js';

/** An unfinished line is shown after this. */
const quietMs = 100;
/** One that is redrawn, such as a progress bar, is shown meanwhile. */
const redrawnMs = 250;
/** Longest log entry (moby, daemon/logger/copier.go, defaultBufSize). */
const entryBytes = 16 * 1024;
/** Of the preceding line, to locate it in the log. */
const comparedBytes = 256;
/** Faster output is no prompt, and an attached reader would slow it down. */
const maxBytesPerSecond = 1024 * 1024;
const reopenAfterMs = 2_000;
/** Lifetime of a prepared tail without a reader. */
const unusedMs = 30_000;
const newline = 10;
const carriageReturn = 13;

/**
 * A container's unfinished line. The log holds finished lines only, so a prompt reaches only readers attached in time.
 */
class LineTail {
  private stream: Readable | null = null;
  private line: Buffer = Buffer.alloc(0);
  /** The end of the preceding output; null when unknown. */
  private before: Buffer | null = null;
  private isQuiet = false;
  private shownAt = -Infinity;
  private quietTimer: NodeJS.Timeout | undefined;
  private reopenTimer: NodeJS.Timeout | undefined;
  private windowStart = 0;
  private windowBytes = 0;
  private isClosed = false;
  private triedAt = -Infinity;
  readonly listeners = new Set<() => void>();
  readers = 0;

  constructor(
    private readonly engine: Engine,
    private readonly containerId: string,
  ) {}

  /** Resolves when attached. On failure, lines appear only when finished. `isNew`: nothing was written yet. */
  async open(isNew = false): Promise<void> {
    this.triedAt = performance.now();
    try {
      const stream = await this.engine.openStream(async (docker, abortSignal) =>
        docker.getContainer(this.containerId).attach({ stream: true, stdout: true, hijack: true, abortSignal }),
      );
      if (this.isClosed) {
        stream.destroy();
        return;
      }
      this.stream = stream;
      this.reset();
      if (isNew) this.before = Buffer.alloc(0);
      stream.on('data', (bytes: Buffer) => this.push(bytes));
      stream.once('end', () => stream.destroy());
      stream.once('close', () => {
        if (this.stream === stream) this.stream = null;
      });
    } catch {
      // Gone, paused or unreachable: the log reader reports it.
    }
  }

  /** Retries a failed or closed attachment after a delay. */
  ensureOpen(): void {
    if (this.stream || this.reopenTimer || performance.now() - this.triedAt < reopenAfterMs) return;
    void this.open();
  }

  get isOpen(): boolean {
    return this.stream !== null;
  }

  get partial(): Buffer | null {
    return this.isQuiet && this.line.length > 0 ? this.line : null;
  }

  /** Whether the entry directly precedes the unfinished line; null when unknown. */
  follows(entry: Buffer): boolean | null {
    if (this.before === null) return null;
    const length = Math.min(comparedBytes, this.before.length, entry.length || comparedBytes);
    return length === 0 || this.before.subarray(-length).equals(entry.subarray(-length));
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.quietTimer);
    clearTimeout(this.reopenTimer);
    this.stream?.destroy();
    this.stream = null;
  }

  private push(bytes: Buffer): void {
    if (this.isFlood(bytes.length)) {
      this.suspend();
      return;
    }
    const start = bytes.lastIndexOf(newline) + 1;
    if (start > 0) {
      this.before = lastOf(this.before ?? Buffer.alloc(0), this.line, bytes.subarray(0, start));
      this.line = Buffer.from(bytes.subarray(start));
    } else this.line = Buffer.concat([this.line, bytes]);
    while (this.line.length >= entryBytes) {
      this.before = lastOf(this.line.subarray(0, entryBytes));
      this.line = this.line.subarray(entryBytes);
    }
    this.isQuiet = false;
    if (this.line.length === 0) clearTimeout(this.quietTimer);
    else this.waitForQuiet();
  }

  private waitForQuiet(): void {
    clearTimeout(this.quietTimer);
    const redrawnInMs = this.line.includes(carriageReturn) ? this.shownAt + redrawnMs - performance.now() : Infinity;
    this.quietTimer = setTimeout(
      () => {
        this.isQuiet = true;
        this.shownAt = performance.now();
        for (const listener of this.listeners) listener();
      },
      Math.max(0, Math.min(quietMs, redrawnInMs)),
    ).unref();
  }

  private isFlood(bytes: number): boolean {
    const now = performance.now();
    if (now - this.windowStart > 1_000) {
      this.windowStart = now;
      this.windowBytes = 0;
    }
    this.windowBytes += bytes;
    return this.windowBytes > maxBytesPerSecond;
  }

  private suspend(): void {
    this.stream?.destroy();
    this.stream = null;
    this.reset();
    this.reopenTimer = setTimeout(() => {
      this.reopenTimer = undefined;
      void this.open();
    }, reopenAfterMs).unref();
  }

  private reset(): void {
    clearTimeout(this.quietTimer);
    this.line = Buffer.alloc(0);
    this.before = null;
    this.isQuiet = false;
  }
}

function lastOf(...parts: readonly Buffer[]): Buffer {
  return Buffer.from(Buffer.concat(parts).subarray(-comparedBytes));
}

export class LineTails {
  private readonly tails = new Map<string, LineTail>();

  constructor(private readonly engine: Engine) {}

  /** Before the start, because a later reader needs the first prompt. */
  async prepare(containerId: string): Promise<void> {
    const tail = this.tails.get(containerId) ?? this.add(containerId);
    if (!tail.isOpen) await tail.open(true);
    setTimeout(() => this.closeUnused(containerId, tail), unusedMs).unref();
  }

  /** The caller releases it. */
  acquire(containerId: string): LineTail {
    const tail = this.tails.get(containerId) ?? this.add(containerId);
    tail.readers += 1;
    return tail;
  }

  release(containerId: string, tail: LineTail): void {
    tail.readers -= 1;
    this.closeUnused(containerId, tail);
  }

  close(): void {
    for (const tail of this.tails.values()) tail.close();
    this.tails.clear();
  }

  private add(containerId: string): LineTail {
    const tail = new LineTail(this.engine, containerId);
    this.tails.set(containerId, tail);
    return tail;
  }

  private closeUnused(containerId: string, tail: LineTail): void {
    if (tail.readers > 0) return;
    tail.close();
    if (this.tails.get(containerId) === tail) this.tails.delete(containerId);
  }
}
