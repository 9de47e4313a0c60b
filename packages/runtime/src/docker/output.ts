import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pause } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import { runtimeError } from '../reasons.js';
import type { OutputChunk, OutputCursor, ReadOutputOptions } from '../runtime.js';
import { abortable } from './abortable-calls.js';
import { describe, isLive } from './containers.js';
import { statusOf, unexpectedError, type Engine } from './engine.js';
import { LogParser, LogStreamError, type LogEntry } from './log-parser.js';
import { LogGapDetector } from './log-gap-detector.js';

/** Time of the last entry read, and count of entries read with that time. */
interface Position {
  readonly time: bigint;
  readonly count: number;
}

const reopenAfterMs = 300;
const maxBadStreams = 5;
/** For a whole log, in times of a usual call. */
const restPatience = 3;
const maxHeldBytes = 64 * 1024 * 1024;
const cursorPattern = /^([0-9a-f]{12})\.(\d{1,20})\.(\d{1,9})$/;
const idLength = 12;

/**
 * A container's log after `after`, then live until its end. "since" repeats entries of the last stamp; they are counted
 * off. A stream that may have skipped entries is reopened at its position; lost entries are reported as a gap. Ends at
 * once for a container never started.
 */
export async function* readContainerOutput(
  engine: Engine,
  containerId: string,
  options: ReadOutputOptions,
): AsyncGenerator<OutputChunk> {
  const reader = new LogReader(containerId, options.after);
  let badStreams = 0;
  let isEnded = false;
  while (!options.signal.aborted) {
    let isWhole = true;
    try {
      // Engines sometimes end a live stream before its last lines.
      const stream = isEnded ? reader.rest(engine, options.signal) : reader.follow(engine, options.signal);
      for await (const chunk of stream) {
        badStreams = 0;
        yield chunk;
      }
    } catch (error) {
      if (options.signal.aborted) return;
      if (isGone(error)) return;
      badStreams += 1;
      if (badStreams > maxBadStreams) throw badLog(error);
      isWhole = false;
    }
    if (isEnded && isWhole) return;
    const info = options.signal.aborted ? null : await describe(engine, containerId);
    if (!info) return;
    isEnded = !isLive(info);
    const reopensAtOnce = reader.hasSkipped || (isEnded && isWhole);
    if (!reopensAtOnce) await pause(reopenAfterMs, options.signal);
  }
}

/** Removed or being removed: the log is unavailable. */
function isGone(error: unknown): boolean {
  return statusOf(error) === 404 || statusOf(error) === 409;
}

function badLog(error: unknown): unknown {
  if (isAppError(error) || statusOf(error) !== null) return unexpectedError(error);
  if (!(error instanceof LogStreamError)) {
    return runtimeError('NODE_UNREACHABLE', 'the connection to the engine breaks off', {}, { cause: error });
  }
  return runtimeError(
    'ENGINE_FAILED',
    "the engine cannot read the container's log",
    { reason: error.message },
    { cause: error },
  );
}

class LogReader {
  private position: Position | null;
  /** Repeated entries with the last stamp; null while entries are new. */
  private repeated: number | null = null;
  /** The first entry must repeat the position, else the log has rotated past it. */
  private isResuming = false;
  private isAfterGap = false;
  private skips = new LogGapDetector(undefined);
  /** Delay of the last entry, in ms. */
  private lateMs = 0;
  /** Reopened for this: the next log entry is certain. */
  private isCertain = false;
  /** Entries may be missing, so the stream was ended. */
  hasSkipped = false;

  constructor(
    private readonly containerId: string,
    after: OutputCursor | undefined,
  ) {
    this.position = parseCursor(containerId, after);
  }

  async *follow(engine: Engine, signal: AbortSignal): AsyncGenerator<OutputChunk> {
    const options = this.logOptions();
    const stream = await engine.openStream(
      async (docker, abortSignal) =>
        docker.getContainer(this.containerId).logs({ ...options, follow: true, abortSignal }),
      { signal },
    );
    this.skips = new LogGapDetector((stream as Partial<IncomingMessage>).headers?.date);
    this.isCertain = this.hasSkipped;
    this.hasSkipped = false;
    try {
      yield* this.chunks(engine, stream);
    } finally {
      stream.destroy();
    }
  }

  async *rest(engine: Engine, signal: AbortSignal): AsyncGenerator<OutputChunk> {
    const options = this.logOptions();
    const held = await engine.call(
      async (docker, abortSignal) =>
        docker.getContainer(this.containerId).logs({ ...options, follow: false, abortSignal }),
      { signal, timeoutMs: restPatience * engine.timeoutMs },
    );
    if (Buffer.isBuffer(held) && held.length <= maxHeldBytes) yield* this.chunks(engine, [held]);
  }

  private async *chunks(engine: Engine, source: Readable | Buffer[]): AsyncGenerator<OutputChunk> {
    const parser = new LogParser();
    // A stream "since" the last stamp repeats that stamp's entries.
    this.repeated = this.position === null ? null : 0;
    this.isResuming = this.position !== null;
    for await (const bytes of source as AsyncIterable<Buffer>) {
      this.skips.heard();
      for (const entry of parser.push(bytes)) {
        if (!(await this.isNew(engine, entry))) continue;
        if (!Array.isArray(source) && this.skippedBefore(entry)) return;
        yield this.advance(entry);
      }
    }
    const last = parser.end();
    if (last && (await this.isNew(engine, last))) yield this.advance(last);
  }

  /** Engines (20.10) may repeat thousands of entries at a rotation: stamps go back. */
  private async isNew(engine: Engine, { time }: LogEntry): Promise<boolean> {
    if (this.position === null) return true;
    if (this.isResuming && time > this.position.time) this.isAfterGap = true;
    this.isResuming = false;
    if (time < this.position.time) {
      if (this.repeated === null && (await isClockBehind(engine, this.position.time))) return true;
      this.repeated = 0;
      return false;
    }
    if (time === this.position.time && this.repeated !== null) {
      this.repeated += 1;
      return this.repeated > this.position.count;
    }
    this.repeated = null;
    return true;
  }

  private skippedBefore({ time }: LogEntry): boolean {
    const before = this.position?.time ?? time;
    this.hasSkipped = !this.isCertain && this.skips.isSuspicious(before, this.lateMs, time);
    this.isCertain = false;
    if (!this.hasSkipped) this.lateMs = this.skips.took(time);
    return this.hasSkipped;
  }

  private advance({ data, time }: LogEntry): OutputChunk {
    const count = this.position?.time === time ? this.position.count + 1 : 1;
    this.position = { time, count };
    const cursor = `${this.containerId.slice(0, idLength)}.${time}.${count}`;
    const { isAfterGap } = this;
    this.isAfterGap = false;
    return { data, at: new Date(Number(time / 1_000_000n)), cursor, ...(isAfterGap ? { isAfterGap } : {}) };
  }

  private logOptions() {
    const since = this.position ? sinceText(this.position.time) : undefined;
    return { stdout: true, stderr: true, timestamps: true, ...(since ? { since } : {}) };
  }
}

/** A cursor of another container starts at the beginning. */
function parseCursor(containerId: string, cursor: OutputCursor | undefined): Position | null {
  const [, id, time, count] = cursorPattern.exec(cursor ?? '') ?? [];
  if (time === undefined || id !== containerId.slice(0, idLength)) return null;
  return { time: BigInt(time), count: Number(count) };
}

/** Then older stamps are no repetition. */
async function isClockBehind(engine: Engine, stamp: bigint): Promise<boolean> {
  const info = await engine.call(async (docker, abortSignal) => abortable(docker).info({ abortSignal }));
  const now = Date.parse(info.SystemTime ?? '');
  return !Number.isNaN(now) && BigInt(now) * 1_000_000n < stamp;
}

function sinceText(time: bigint): string {
  return `${time / 1_000_000_000n}.${String(time % 1_000_000_000n).padStart(9, '0')}`;
}
