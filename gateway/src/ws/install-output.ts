import type { InstallLine } from '@panel/protos/servers';

const maxLines = 1_000;

interface Retained {
  readonly text: string;
  readonly step: string;
  readonly frame: Buffer;
}

/** For later sockets. Lines are unnumbered: a resumed stream repeats them from the start, identified by order. */
export class InstallOutput {
  #lines: Retained[] = [];
  /** Next repeated line; null: no repetition. */
  #repeatedTo: number | null = null;

  /** Before a new stream. */
  resume(): void {
    this.#repeatedTo = this.#lines.length > 0 ? 0 : null;
  }

  /** At the end of an installation, or the start of another. */
  clear(): void {
    this.#lines = [];
    this.#repeatedTo = null;
  }

  /** True: delivered by the previous stream. */
  hasSeen({ text, step }: InstallLine): boolean {
    if (this.#repeatedTo === null) return false;
    const from = this.#repeatedTo;
    const at = this.#lines.findIndex((line, index) => index >= from && line.text === text && line.step === step);
    const isNext = at === from || (at > from && from === 0);
    if (!isNext) {
      this.#repeatedTo = null;
      return false;
    }
    this.#repeatedTo = at + 1;
    return true;
  }

  add({ text, step }: InstallLine, frame: Buffer): void {
    if (this.#lines.push({ text, step, frame }) > maxLines) this.#lines.shift();
  }

  /** Oldest first. */
  frames(): Buffer[] {
    return this.#lines.map(({ frame }) => frame);
  }
}
