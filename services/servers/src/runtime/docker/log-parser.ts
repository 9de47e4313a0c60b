/** Bytes after which the engine cuts a line that has no end yet (moby, daemon/logger/copier.go, defaultBufSize). */
const cutAt = 16 * 1024;
const newline = 10;
const space = 32;
/** The longest RFC 3339 time with nanoseconds and a zone, "2026-01-02T03:04:05.000000000+02:00", and its space. */
const maxStampLength = 36;
const stampPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** One entry of the engine's log: a line with its end, or a part of a very long or last unfinished one. */
export interface LogEntry {
  readonly data: Buffer;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
}

/** Nanoseconds since 1970 of an engine's time stamp, or null if it is none. */
export function parseStamp(text: string): bigint | null {
  const match = stampPattern.exec(text);
  const [, seconds, fraction = '', zone] = match ?? [];
  if (seconds === undefined || zone === undefined) return null;
  const ms = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? null : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/**
 * Takes the time stamps out of the engine's raw log stream. Every entry begins with one, and an entry ends with a
 * newline or after 16 KiB, so a newline alone does not tell where the next stamp stands. Holds at most one entry.
 */
export class LogParser {
  private rest: Buffer = Buffer.alloc(0);
  /** Time of the entry before this one, if that was cut inside its line. */
  private unfinished: bigint | null = null;

  /** The entries completed by these bytes. */
  push(chunk: Buffer): LogEntry[] {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const entries: LogEntry[] = [];
    for (let entry = this.take(false); entry; entry = this.take(false)) entries.push(entry);
    return entries;
  }

  /** What is left when the log has ended: a last line without an end. */
  end(): LogEntry | null {
    return this.take(true);
  }

  private take(isEnd: boolean): LogEntry | null {
    if (this.rest.length === 0 || (this.rest.length < maxStampLength && !isEnd && !this.hasShortStamp())) return null;
    const stamp = this.readStamp();
    const window = this.rest.subarray(stamp.length, stamp.length + cutAt + 1);
    const lineEnd = window.indexOf(newline);
    if (lineEnd >= 0) return this.cut(stamp, lineEnd + 1, null);
    if (window.length > cutAt) return this.cut(stamp, cutAt, stamp.time);
    return isEnd ? this.cut(stamp, window.length, null) : null;
  }

  /** Whether a stamp can be told although fewer bytes than the longest one are there. */
  private hasShortStamp(): boolean {
    return this.rest.includes(newline);
  }

  private readStamp(): { time: bigint; length: number } {
    const end = this.rest.subarray(0, maxStampLength).indexOf(space);
    const time = end < 0 ? null : parseStamp(this.rest.toString('latin1', 0, end));
    if (time !== null) return { time, length: end + 1 };
    // An engine with a larger buffer goes on without a stamp; at the start of a line there always is one.
    if (this.unfinished !== null) return { time: this.unfinished, length: 0 };
    throw new LogStreamError(this.rest.toString('utf8', 0, 200));
  }

  private cut(stamp: { time: bigint; length: number }, length: number, unfinished: bigint | null): LogEntry {
    const data = this.rest.subarray(stamp.length, stamp.length + length);
    this.rest = this.rest.subarray(stamp.length + length);
    this.unfinished = unfinished;
    return { data, time: stamp.time };
  }
}

/** The engine wrote something else into its log stream, as it does with its own errors. */
export class LogStreamError extends Error {}
