import type { ConsoleLine } from '@panel/protos/servers';

const maxSameTime = 1_000;

/**
 * The last lines of one server as frames, for sockets that join later; and what is needed to go on after the stream from
 * the servers service broke off: the new stream begins with history, and most of that has been delivered before.
 */
export class ConsoleHistory {
  readonly #frames: Buffer[] = [];
  #lastTimeMs = -Infinity;
  /** Lines delivered that bear the latest time. */
  #lastTexts: string[] = [];
  /** Those of them that the history of a new stream has not repeated yet; null when nothing is repeated any more. */
  #unrepeated: string[] | null = null;

  constructor(private readonly maxLines: number) {}

  /** Call it before reading from a new stream. */
  resume(): void {
    this.#unrepeated = this.#lastTimeMs === -Infinity ? null : [...this.#lastTexts];
  }

  /** Whether this line was delivered before the stream broke off. */
  hasSeen(line: ConsoleLine): boolean {
    if (this.#unrepeated === null) return false;
    const timeMs = timeOf(line);
    if (timeMs < this.#lastTimeMs) return true;
    if (timeMs > this.#lastTimeMs) {
      this.#unrepeated = null;
      return false;
    }
    // Many lines can bear one millisecond. A restarted servers process numbers anew, so a number alone decides nothing.
    const at = this.#unrepeated.indexOf(line.text);
    if (at < 0) return false;
    this.#unrepeated.splice(at, 1);
    return true;
  }

  add(line: ConsoleLine, frame: Buffer): void {
    const timeMs = timeOf(line);
    if (timeMs > this.#lastTimeMs) {
      this.#lastTimeMs = timeMs;
      this.#lastTexts = [];
    }
    if (timeMs === this.#lastTimeMs && this.#lastTexts.push(line.text) > maxSameTime) this.#lastTexts.shift();
    if (this.maxLines === 0) return;
    if (this.#frames.push(frame) > this.maxLines) this.#frames.shift();
  }

  /** Oldest first. */
  frames(): readonly Buffer[] {
    return this.#frames;
  }
}

function timeOf(line: ConsoleLine): number {
  return line.time?.getTime() ?? 0;
}
