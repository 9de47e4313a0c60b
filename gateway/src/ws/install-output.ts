import type { InstallLine } from '@panel/protos/servers';

const maxLines = 1_000;

interface Kept {
  readonly text: string;
  readonly step: string;
  readonly frame: Buffer;
}

/**
 * The output of the installation in progress, for sockets that join later. Its lines have no numbers: a resumed stream
 * repeats them from the start, and they are recognised by their order.
 */
export class InstallOutput {
  #lines: Kept[] = [];
  /** Index of the next repeated line; null when the stream does not repeat. */
  #repeatedTo: number | null = null;

  /** Call before reading from a new stream. */
  resume(): void {
    this.#repeatedTo = this.#lines.length > 0 ? 0 : null;
  }

  /** Call when the installation ends or another starts. */
  clear(): void {
    this.#lines = [];
    this.#repeatedTo = null;
  }

  /** Whether this line repeats one that was delivered from the previous stream. */
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
