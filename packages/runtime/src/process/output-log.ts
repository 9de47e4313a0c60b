import { closeSync, ftruncateSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A game's console on disk: records of `<ms since 1970> <bytes>\n` and the bytes. A file's name is its first byte's
 * position in the run's log. Imports nothing but Node, because every game's shim loads it.
 */
const maxFileBytes = 5 * 1024 * 1024;
const filesRetained = 2;
const namePattern = /^output\.(\d+)$/;

/** First positions of the retained files, ascending. */
export function retainedFiles(directory: string): number[] {
  return readdirSync(directory)
    .map((name) => namePattern.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

export function outputFile(directory: string, firstPosition: number): string {
  return join(directory, `output.${firstPosition}`);
}

/** One write per record; keeps the last 5 to 10 MiB. */
export class OutputLog {
  private firstPosition = 0;
  private size = 0;
  private file: number;

  constructor(
    private readonly directory: string,
    private readonly maxBytes = maxFileBytes,
  ) {
    this.file = openSync(outputFile(directory, 0), 'a', 0o600);
  }

  /** A full disk loses the record, never the game. */
  append(data: Buffer, at: number): boolean {
    const record = Buffer.concat([Buffer.from(`${at} ${data.length}\n`), data]);
    try {
      let written = 0;
      while (written < record.length) written += writeSync(this.file, record, written);
      this.size += record.length;
      if (this.size >= this.maxBytes) this.rotate();
      return true;
    } catch {
      this.takeBack();
      return false;
    }
  }

  close(): void {
    closeSync(this.file);
  }

  private takeBack(): void {
    try {
      ftruncateSync(this.file, this.size);
    } catch {
      this.size = Math.max(this.size, 0); // the file system is gone: the next append fails and comes here again
    }
  }

  private rotate(): void {
    const next = this.firstPosition + this.size;
    const file = openSync(outputFile(this.directory, next), 'a', 0o600);
    closeSync(this.file);
    this.file = file;
    this.firstPosition = next;
    this.size = 0;
    for (const old of retainedFiles(this.directory).slice(0, -filesRetained)) rmSync(outputFile(this.directory, old));
  }
}

/** An unfinished line follows after a moment, for prompts. */
export class LineBuffer {
  private rest: Buffer = Buffer.alloc(0);
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly emit: (data: Buffer) => void,
    private readonly waitMs = 100,
    private readonly maxBytes = 16 * 1024,
  ) {}

  push(data: Buffer): void {
    const all = this.rest.length === 0 ? data : Buffer.concat([this.rest, data]);
    const end = all.length > this.maxBytes && !all.includes(10) ? all.length : all.lastIndexOf(10) + 1;
    this.rest = all.subarray(end);
    if (end > 0) this.emit(all.subarray(0, end));
    if (this.rest.length > this.maxBytes) this.flush();
    else if (this.rest.length > 0) this.timer ??= setTimeout(() => this.flush(), this.waitMs);
  }

  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.rest.length === 0) return;
    const data = this.rest;
    this.rest = Buffer.alloc(0);
    this.emit(data);
  }
}
