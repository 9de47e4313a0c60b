import type { ConsoleLine } from '@panel/protos/servers';

const maxNotices = 200;

/**
 * The last lines of one server as frames, for sockets that join later; and the last delivered line, because a resumed
 * stream starts with lines that were delivered before.
 */
export class ConsoleHistory {
  readonly #lines: { readonly sequence: number; readonly frame: Buffer }[] = [];
  #lastSequence = 0;
  #lastTimeMs = -Infinity;
  /** Notices of the panel have no number; the latest are recognised by time and text. */
  readonly #notices = new Set<string>();

  constructor(private readonly maxLines: number) {}

  /**
   * Whether this line was delivered before. The servers service numbers the lines of a server and continues its numbers
   * after a restart if it can; otherwise a lower number comes with a later time.
   */
  hasSeen(line: ConsoleLine): boolean {
    if (line.sequence === 0) return this.#notices.has(noticeName(line));
    return line.sequence <= this.#lastSequence && timeOf(line) <= this.#lastTimeMs;
  }

  add(line: ConsoleLine, frame: Buffer): void {
    if (line.sequence === 0) this.#addNotice(noticeName(line));
    else {
      this.#lastSequence = line.sequence;
      this.#lastTimeMs = timeOf(line);
    }
    const kept = { sequence: line.sequence, frame };
    if (this.maxLines > 0 && this.#lines.push(kept) > this.maxLines) this.#lines.shift();
  }

  /** Oldest first; with `after` only the lines that follow the line of that number, as far as they are kept. */
  frames(after: number | null = null): readonly Buffer[] {
    const from = after === null ? 0 : this.#lines.findLastIndex(({ sequence }) => sequence === after) + 1;
    return this.#lines.slice(from).map(({ frame }) => frame);
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
