import { hasWords, progressSignature, visibleText } from './terminal-text.js';

/** Rows of a screen that are remembered: a program that draws all of them again says nothing new. */
const maxRemembered = 128;
/** After so many lines without a movement of the cursor the program writes lines like others. */
const plainLinesToForget = 50;

/**
 * Decides which rows of a redrawn line or screen are shown. Everything depends on the output alone, so that lines are
 * numbered alike whenever the output is read again from a point at which `isEmpty`.
 */
export class ScreenRows {
  #progress: string | null = null;
  #seen: string[] = [];
  #plainLines = 0;
  #prompt: string | null = null;

  /** Whether nothing that came before decides about what comes next. */
  get isEmpty(): boolean {
    return this.#progress === null && this.#seen.length === 0;
  }

  /** Whether a row is shown that the cursor left by going back to its beginning (`isOverwritten`) or elsewhere. */
  admit(row: string, isOverwritten: boolean): boolean {
    const visible = visibleText(row).trim();
    if (!hasWords(visible)) return false;
    if (!isOverwritten) return this.#isNew(visible);
    const signature = progressSignature(visible);
    const isSame = signature === this.#progress;
    this.#progress = signature;
    return !isSame;
  }

  /** Whether the last row of a line is shown, which a line feed ended. */
  admitLast(row: string): boolean {
    const wasRedrawn = this.#progress !== null;
    this.#progress = null;
    if (this.#seen.length === 0) return !wasRedrawn || visibleText(row).trim() !== '';
    this.#plainLines += 1;
    if (this.#plainLines > plainLinesToForget) this.#seen = [];
    const visible = visibleText(row).trim();
    return visible !== '' && !this.#seen.includes(visible);
  }

  /**
   * Whether text is shown that has no end yet: a prompt once, a stage of a progress display with its line. Decides nothing
   * about what comes next, because it depends on when the output came.
   */
  showsPartial(row: string): boolean {
    const visible = visibleText(row).trim();
    if (this.#seen.length > 0) return hasWords(visible) && !this.#seen.includes(visible);
    if (this.#progress !== null) return hasWords(visible) && progressSignature(visible) !== this.#progress;
    if (hasWords(visible)) return true;
    const isRepeated = visible === this.#prompt;
    this.#prompt = visible;
    return !isRepeated;
  }

  #isNew(visible: string): boolean {
    this.#plainLines = 0;
    if (this.#seen.includes(visible)) return false;
    this.#seen.push(visible);
    if (this.#seen.length > maxRemembered) this.#seen.shift();
    return true;
  }
}
