import type { ConsoleLine } from '@panel/protos/servers';

const maxNotices = 200;
/** As many as the servers service keeps. */
const maxLines = 1_000;
const maxBytes = 512 * 1024;

/** Last lines for later sockets; and the last delivered line, as a resumed stream repeats lines. */
export class ConsoleHistory {
  readonly #lines: { readonly sequence: number; readonly frame: Buffer }[] = [];
  #lastSequence = 0;
  #lastTimeMs = -Infinity;
  /** Unnumbered: identified by time and text. */
  readonly #notices = new Set<string>();
  /** Until the game's next line. */
  #redrawn: { readonly name: string; readonly frame: Buffer } | null = null;

  #bytes = 0;

  /** `shownLines`: for sockets without a known line. */
  constructor(private readonly shownLines: number) {}

  /** Numbers continue after a restart if possible; otherwise a lower number has a later time. */
  hasSeen(line: ConsoleLine): boolean {
    if (line.isRedrawn) return this.#redrawn?.name === noticeName(line);
    if (line.sequence === 0) return this.#notices.has(noticeName(line));
    return line.sequence <= this.#lastSequence && timeOf(line) <= this.#lastTimeMs;
  }

  add(line: ConsoleLine, frame: Buffer): void {
    if (line.isRedrawn) {
      this.#redrawn = { name: noticeName(line), frame };
      return;
    }
    if (line.sequence > 0 || line.isPartial) this.#redrawn = null;
    if (line.sequence === 0) this.#addNotice(noticeName(line));
    else {
      this.#lastSequence = line.sequence;
      this.#lastTimeMs = timeOf(line);
    }
    this.#lines.push({ sequence: line.sequence, frame });
    this.#bytes += frame.length;
    while (this.#lines.length > maxLines || this.#bytes > maxBytes)
      this.#bytes -= this.#lines.shift()?.frame.length ?? 0;
  }

  /** Oldest first; with `after` the lines after it. A number beyond the last line belongs to an earlier numbering. */
  frames(after: number | null = null): readonly Buffer[] {
    const isKnown = after !== null && after <= this.#lastSequence;
    const from = isKnown
      ? this.#lines.findLastIndex(({ sequence }) => sequence > 0 && sequence <= after) + 1
      : Math.max(0, this.#lines.length - this.shownLines);
    const frames = this.#lines.slice(from).map(({ frame }) => frame);
    return this.#redrawn ? [...frames, this.#redrawn.frame] : frames;
  }

  #addNotice(name: string): void {
    this.#notices.add(name);
    if (this.#notices.size <= maxNotices) return;
    const [oldest] = this.#notices;
    if (oldest !== undefined) this.#notices.delete(oldest);
  }
}

function timeOf(line: ConsoleLine): number {
  return line.time?.getTime() ?? 0;
}

function noticeName(line: ConsoleLine): string {
  return `${timeOf(line)} ${line.text}`;
}
