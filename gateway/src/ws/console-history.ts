import type { ConsoleLine } from '@panel/protos/servers';

const maxNotices = 200;

/**
 * The last lines of one server as frames, for sockets that join later; and what was delivered last, because a stream that
 * was taken up again begins with lines that were delivered before.
 */
export class ConsoleHistory {
  readonly #frames: Buffer[] = [];
  #lastSequence = 0;
  #lastTimeMs = -Infinity;
  /** Words of the panel itself have no number; the latest are known by time and text. */
  readonly #notices = new Set<string>();

  constructor(private readonly maxLines: number) {}

  /**
   * Whether this line was delivered before. The servers service numbers the lines of a server, and goes on with its
   * numbers after its own restart where it can; where it cannot, a lower number comes with a later time.
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
    if (this.maxLines > 0 && this.#frames.push(frame) > this.maxLines) this.#frames.shift();
  }

  /** Oldest first. */
  frames(): readonly Buffer[] {
    return this.#frames;
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
