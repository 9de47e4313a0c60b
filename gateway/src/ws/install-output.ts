import type { InstallLine } from '@panel/protos/servers';

const maxLines = 1_000;

interface Kept {
  readonly text: string;
  readonly step: string;
  readonly frame: Buffer;
}

/**
 * What the installation under way has said so far, for sockets that join in the middle. Its lines have no numbers: after
 * the stream broke off they come again from the beginning, and are recognised by following each other as before.
 */
export class InstallOutput {
  #lines: Kept[] = [];
  /** Where the repetition has got to; null when nothing is repeated. */
  #repeatedTo: number | null = null;

  /** Call it before reading from a new stream. */
  resume(): void {
    this.#repeatedTo = this.#lines.length > 0 ? 0 : null;
  }

  /** Another installation, or none. */
  clear(): void {
    this.#lines = [];
    this.#repeatedTo = null;
  }

  /** Whether this line repeats one that was delivered before the stream broke off. */
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
