import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@panel/kit/process';
import type { Runtime } from '@panel/runtime';
import { OutputThrottle } from './output-throttle.js';
import { LineSplitter, type OutputLine } from './line-splitter.js';
import { PartialLine, type PartialText } from './partial-line.js';
import { Redraws } from './redraws.js';

/** After this pause an unfinished line (prompt) is shown. Runtimes wait about as long first. */
const promptMs = 100;
/** After this pause the end of a flood is shown. */
const quietMs = 500;
/** The last omitted lines often have the reason. */
const maxRetained = 50;
/** Between two checks of the readers. */
const linesAtOnce = 256;
const maxRetryMs = 5_000;
const anchorEveryLines = 250;

interface OutputRun {
  readonly serverId: string;
  readonly generation: number;
  readonly runtime: Runtime;
  /** Null: start of the run. */
  readonly cursor: string | null;
  /** Number of the last line before the cursor. */
  readonly sequence: number;
}

export interface Line {
  readonly sequence: number;
  readonly text: string;
  readonly at: Date;
  /** The part not shown by `onPartial`. */
  readonly rest: string;
}

interface OutputListener {
  onLine(line: Line): void;
  /** The line gets its number at its end. */
  onPartial(text: string, at: Date): void;
  /** The whole of it; takes the place of the last one. */
  onRedrawn(text: string, at: Date): void;
  onHidden(text: string): void;
  /** True if all readers, at least one, have a large backlog. */
  areReadersBehind(): boolean;
  onDropped(lines: number): void;
  /** The engine has dropped lines before the next one. */
  onGap(): void;
  /** `sequence` is the number of the line before the position. */
  onAnchor(cursor: string, sequence: number): void;
}

/**
 * Reads one run across reconnections: each line once, in order. Numbers are stable for the same anchor; omitted lines
 * count.
 */
export class OutputReader {
  readonly #splitter = new LineSplitter();
  readonly #partial = new PartialLine();
  readonly #redraws = new Redraws((text) => this.listener.onRedrawn(text, new Date()));
  readonly #throttle: OutputThrottle;
  readonly #abort = new AbortController();
  #sequence: number;
  #cursor: string | null;
  #anchoredAt: number;
  #held: Line[] = [];
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isFinished = false;
  /** End of the run, or `stop`. */
  readonly finished: Promise<void>;

  constructor(
    readonly run: OutputRun,
    private readonly listener: OutputListener,
    private readonly log: Logger,
  ) {
    this.#sequence = run.sequence;
    this.#cursor = run.cursor;
    this.#anchoredAt = run.sequence;
    this.#throttle = new OutputThrottle(() => listener.areReadersBehind());
    this.finished = this.#read();
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** For the next reader of the run. */
  get position(): { cursor: string | null; sequence: number } {
    return { cursor: this.#cursor, sequence: this.#sequence };
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  stop(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    const { signal } = this.#abort;
    for (let retryMs = 250; !signal.aborted; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
      try {
        await this.#readOnce(signal);
        break;
      } catch (error) {
        if (signal.aborted) break;
        this.log.warn({ err: error, serverId: this.run.serverId }, 'console output was interrupted');
        await wait(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    clearTimeout(this.#timer);
    this.#redraws.end('');
    if (!signal.aborted) {
      this.#endLine();
      this.#endFlood();
    }
    this.#isFinished = true;
  }

  async #readOnce(signal: AbortSignal): Promise<void> {
    const { runtime, serverId } = this.run;
    const options = { signal, hasPreviews: true, ...(this.#cursor === null ? {} : { after: this.#cursor }) };
    for await (const chunk of runtime.readOutput(serverId, options)) {
      if (signal.aborted) return;
      if (chunk.isPreview) {
        for (const line of this.#partial.preview(chunk.data)) this.#emitPartial(line);
        this.#redraws.update(this.#partial.redrawn());
        continue;
      }
      clearTimeout(this.#timer);
      if (chunk.isAfterGap) {
        this.#endLine();
        this.listener.onGap();
      }
      const lines = this.#splitter.push(chunk.data);
      this.#throttle.read(chunk.data.length, Date.now() - chunk.at.getTime());
      for (let from = 0; from === 0 || from < lines.length; from += linesAtOnce) {
        for (const line of lines.slice(from, from + linesAtOnce)) this.#emit(line, chunk.at);
        await this.#waitForThrottle(signal);
        if (signal.aborted) return;
      }
      this.#cursor = chunk.cursor;
      this.#finishChunk();
    }
  }

  async #waitForThrottle(signal: AbortSignal): Promise<void> {
    for (let ms = this.#throttle.pauseMs(); ms > 0 && !signal.aborted; ms = this.#throttle.pauseMs()) await wait(ms);
  }

  #emit({ text, isShown }: OutputLine, at: Date): void {
    const rest = this.#partial.complete(text);
    if (!isShown) {
      this.listener.onHidden(text);
      return;
    }
    this.#sequence++;
    // Held lines go first: no gaps within the end of a flood.
    if (this.#throttle.admit(this.#heldBytes + text.length, this.#held.length + 1)) {
      this.#showHeld();
      this.#redraws.end(text);
      this.listener.onLine({ sequence: this.#sequence, text, at, rest });
      return;
    }
    this.listener.onHidden(text);
    this.#hold({ sequence: this.#sequence, text, at, rest: text });
  }

  #hold(line: Line): void {
    this.#held.push(line);
    this.#heldBytes += line.text.length;
    if (this.#held.length < maxRetained * 2) return;
    this.#throttle.lost(maxRetained);
    this.#held = this.#held.slice(-maxRetained);
    this.#heldBytes = this.#held.reduce((sum, { text }) => sum + text.length, 0);
  }

  #showHeld(): void {
    for (const line of this.#held) this.listener.onLine(line);
    this.#held = [];
    this.#heldBytes = 0;
  }

  #finishChunk(): void {
    const dropped = this.#throttle.takeNotice();
    if (dropped > 0) this.listener.onDropped(dropped);
    if (this.#splitter.hasPartialLine || this.#hasFlood) {
      this.#timer = setTimeout(() => this.#showPrompt(), promptMs).unref();
    }
    if (!this.#hasFlood) this.#redraws.update(this.#splitter.redrawn());
    if (!this.#splitter.isAtLineStart) return;
    if (this.#cursor !== null && this.#sequence - this.#anchoredAt >= anchorEveryLines) {
      this.#anchoredAt = this.#sequence;
      this.listener.onAnchor(this.#cursor, this.#sequence);
    }
  }

  get #hasFlood(): boolean {
    return this.#held.length > 0 || this.#throttle.owesNotice;
  }

  #showPrompt(): void {
    if (this.#hasFlood) this.#timer = setTimeout(() => this.#endFlood(), quietMs - promptMs).unref();
    else this.#showPartial();
  }

  #endFlood(): void {
    const dropped = this.#throttle.takeLast();
    if (dropped > 0) this.listener.onDropped(dropped);
    this.#showHeld();
    this.#showPartial();
  }

  #showPartial(): void {
    const line = this.#splitter.peek();
    if (line !== null) this.#emitPartial({ ...line, rest: this.#partial.advance(line) });
  }

  #emitPartial({ text, isShown, rest }: PartialText): void {
    this.listener.onHidden(text);
    if (!isShown || rest === '') return;
    this.#redraws.end(text);
    this.listener.onPartial(rest, new Date());
  }

  #endLine(): void {
    const line = this.#splitter.end();
    if (line !== null) this.#emit(line, new Date());
  }
}
