/** Where the engine cuts lines (moby, daemon/logger/copier.go, defaultBufSize). */
const cutAt = 16 * 1024;
const newline = 10;
const space = 32;
const carriageReturn = 13;
/** Of an RFC 3339 time with nanoseconds and zone, "2026-01-02T03:04:05.000000000+02:00", and its space. */
const maxStampLength = 36;
const stampPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Engines always write nine digits. */
const stampInside = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d) /;

/** A line with its end, or a part of a long or unfinished one. */
export interface LogEntry {
  readonly data: Buffer;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
}

/** Nanoseconds since 1970, null for other text. */
export function parseStamp(text: string): bigint | null {
  const match = stampPattern.exec(text);
  const [, seconds, fraction = '', zone] = match ?? [];
  if (seconds === undefined || zone === undefined) return null;
  const ms = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? null : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/**
 * Removes the stamps from the engine's raw log stream. An entry ends with a newline or after 16 KiB. Engines before 23
 * omit the newline after a cut line's last part; it is restored. Holds at most one entry.
 */
export class LogParser {
  private rest: Buffer = Buffer.alloc(0);
  /** Time of the preceding entry if that was cut. */
  private unfinished: bigint | null = null;

  push(chunk: Buffer): LogEntry[] {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const entries: LogEntry[] = [];
    for (let entry = this.take(false); entry; entry = this.take(false)) entries.push(entry);
    return entries;
  }

  /** An unfinished last line. */
  end(): LogEntry | null {
    return this.take(true);
  }

  private take(isEnd: boolean): LogEntry | null {
    if (this.rest.length === 0) return null;
    if (!isEnd && this.rest.length < maxStampLength && !this.rest.includes(newline)) return null;
    const stamp = this.readStamp();
    const isContinued = this.unfinished === stamp.time;
    const window = this.rest.subarray(stamp.length, stamp.length + cutAt + maxStampLength);
    const lineEnd = window.indexOf(newline);
    const nextStamp = isContinued ? findStamp(lineEnd < 0 ? window : window.subarray(0, lineEnd)) : -1;
    if (nextStamp >= 0 && nextStamp < cutAt) return this.cut(stamp, nextStamp, { restoreNewline: true });
    if (lineEnd >= 0 && lineEnd <= cutAt) return this.cut(stamp, lineEnd + 1);
    if (window.length > cutAt + (isContinued && !isEnd ? maxStampLength - 1 : 0)) {
      return this.cut(stamp, cutAt, { unfinished: stamp.time });
    }
    if (!isEnd) return null;
    return this.cut(stamp, window.length, { restoreNewline: isContinued && window.at(-1) === carriageReturn });
  }

  private readStamp(): { time: bigint; length: number } {
    const end = this.rest.subarray(0, maxStampLength).indexOf(space);
    const time = end < 0 ? null : parseStamp(this.rest.toString('latin1', 0, end));
    if (time !== null) return { time, length: end + 1 };
    // An engine with a larger buffer omits stamps inside a line.
    if (this.unfinished !== null) return { time: this.unfinished, length: 0 };
    throw new LogStreamError(this.rest.toString('utf8', 0, 200));
  }

  private cut(
    stamp: { time: bigint; length: number },
    length: number,
    how: { unfinished?: bigint; restoreNewline?: boolean } = {},
  ): LogEntry {
    const data = this.rest.subarray(stamp.length, stamp.length + length);
    this.rest = this.rest.subarray(stamp.length + length);
    this.unfinished = how.unfinished ?? null;
    return { data: how.restoreNewline ? Buffer.concat([data, Buffer.of(newline)]) : data, time: stamp.time };
  }
}

/** Offset of the next stamp in the last part of a cut line, or -1. */
function findStamp(bytes: Buffer): number {
  return bytes.toString('latin1').search(stampInside);
}

/** Other text in the log stream, such as the engine's errors. */
export class LogStreamError extends Error {}
