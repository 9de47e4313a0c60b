import { watch } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { pause } from '@panel/kit/async';
import type { OutputChunk, OutputCursor } from '../runtime.js';
import { retainedFiles, outputFile } from './output-log.js';
import { hasCode } from './processes.js';

const readBytes = 64 * 1024;
const maxHeaderLength = 40;
/** For file systems without change notifications. */
const pollEveryMs = 500;

interface ReadLogOptions {
  readonly after?: OutputCursor;
  readonly signal: AbortSignal;
  readonly hasEnded: () => boolean;
}

/** Records after `after`, then live until the run ends. */
export async function* readOutputLog(
  directory: string,
  run: string,
  options: ReadLogOptions,
): AsyncGenerator<OutputChunk> {
  const changes = new Changes(directory);
  const reader = new RecordReader(directory, positionOf(run, options.after));
  try {
    while (!options.signal.aborted) {
      const hasEnded = options.hasEnded(); // asked before the last read, which finds what was written until then
      changes.forget();
      let found = false;
      for await (const { data, at, end, isAfterGap } of reader.records()) {
        found = true;
        yield { data, at: new Date(at), cursor: `${run}.${end}`, ...(isAfterGap ? { isAfterGap } : {}) };
        if (options.signal.aborted) return;
      }
      if (hasEnded && !found) return;
      if (!found) await changes.next(options.signal);
    }
  } finally {
    changes.close();
    await reader.close();
  }
}

/** A cursor of another run starts at the beginning. */
function positionOf(run: string, cursor: OutputCursor | undefined): number {
  const [cursorRun, position] = (cursor ?? '').split('.');
  return cursorRun === run && position !== undefined && /^\d{1,15}$/.test(position) ? Number(position) : 0;
}

interface LogRecord {
  readonly data: Buffer;
  readonly at: number;
  readonly end: number;
  /** Preceding records were dropped unread. */
  readonly isAfterGap: boolean;
}

class RecordReader {
  private file: { handle: FileHandle; first: number } | null = null;
  private isAfterGap = false;

  constructor(
    private readonly directory: string,
    private position: number,
  ) {}

  /** The complete records so far. */
  async *records(): AsyncGenerator<LogRecord> {
    while (await this.openFile()) {
      let found = false;
      for await (const record of this.fileRecords()) {
        found = true;
        yield record;
      }
      if (!found && !(await this.goToNextFile())) return;
    }
  }

  async close(): Promise<void> {
    await this.file?.handle.close();
    this.file = null;
  }

  private async *fileRecords(): AsyncGenerator<LogRecord> {
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const more = await this.read(this.position + rest.length);
      if (more.length === 0) return;
      rest = rest.length === 0 ? more : Buffer.concat([rest, more]);
      for (let record = parseRecord(rest); record; record = parseRecord(rest)) {
        rest = rest.subarray(record.length);
        this.position += record.length;
        const { isAfterGap } = this;
        this.isAfterGap = false;
        yield { data: record.data, at: record.at, end: this.position, isAfterGap };
      }
    }
  }

  private async read(position: number): Promise<Buffer> {
    if (!this.file) return Buffer.alloc(0);
    const buffer = Buffer.alloc(readBytes);
    const { bytesRead } = await this.file.handle.read(buffer, 0, readBytes, position - this.file.first);
    return buffer.subarray(0, bytesRead);
  }

  private async openFile(): Promise<boolean> {
    if (this.file) return true;
    const files = held(this.directory);
    const first = files.findLast((each) => each <= this.position) ?? files[0];
    if (first === undefined) return false;
    this.skipTo(Math.max(this.position, first)); // what was between is no longer held
    try {
      this.file = { handle: await open(outputFile(this.directory, first)), first };
      return true;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    }
  }

  private skipTo(position: number): void {
    if (position > this.position) this.isAfterGap = true;
    this.position = position;
  }

  private async goToNextFile(): Promise<boolean> {
    const now = this.file?.first ?? 0;
    const next = held(this.directory).find((first) => first > now);
    if (next === undefined) return false;
    // The file may have grown between the last read and this check.
    if (next !== this.position && (await this.read(this.position)).length > 0) return true;
    this.skipTo(next);
    await this.close();
    return true;
  }
}

function parseRecord(bytes: Buffer): { data: Buffer; at: number; length: number } | null {
  const headerEnd = bytes.subarray(0, maxHeaderLength).indexOf(10);
  if (headerEnd < 0) return null;
  const [at, size] = bytes.toString('latin1', 0, headerEnd).split(' ').map(Number);
  if (at === undefined || size === undefined) return null;
  const start = headerEnd + 1;
  if (bytes.length < start + size) return null;
  return { data: bytes.subarray(start, start + size), at, length: start + size };
}

function held(directory: string): number[] {
  try {
    return retainedFiles(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** A change between `forget` and `next` is not missed. */
export class Changes {
  private changed = false;
  private wake: (() => void) | null = null;
  private readonly watcher: ReturnType<typeof watch> | null;

  constructor(directory: string) {
    this.watcher = tryWatch(directory, () => {
      this.changed = true;
      this.wake?.();
    });
    this.watcher?.on('error', () => undefined); // the directory is gone: polling continues
  }

  forget(): void {
    this.changed = false;
  }

  async next(signal: AbortSignal, atMostMs = pollEveryMs): Promise<void> {
    if (this.changed) return;
    const woken = new AbortController();
    this.wake = () => woken.abort();
    await pause(atMostMs, AbortSignal.any([signal, woken.signal]));
    this.wake = null;
  }

  close(): void {
    this.watcher?.close();
  }
}

function tryWatch(directory: string, onChange: () => void): ReturnType<typeof watch> | null {
  try {
    return watch(directory, { persistent: false }, onChange);
  } catch {
    return null; // gone, or no more watches: polling continues
  }
}
