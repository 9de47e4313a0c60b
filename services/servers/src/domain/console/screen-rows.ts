import { hasWords, progressSignature, visibleText } from './terminal-text.js';

/** A full redraw adds nothing. */
const maxRemembered = 128;
/** After these lines without cursor movement a program counts as line-based. */
const plainLinesToForget = 50;

/** Depends only on the output: numbers repeat in every read from an `isEmpty` position. */
export class ScreenRows {
  #progress: string | null = null;
  #seen: string[] = [];
  #plainLines = 0;
  #prompt: string | null = null;
  #isOverwritten = false;

  /** Earlier output has no effect on later rows. */
  get isEmpty(): boolean {
    return this.#progress === null && this.#seen.length === 0;
  }

  /** By a program that is line-based otherwise. For viewers only: it affects no number. */
  get isRedrawn(): boolean {
    return this.#isOverwritten && this.#seen.length === 0;
  }

  /** The cursor left the row, to its own start (`isOverwritten`) or elsewhere. */
  admit(row: string, isOverwritten: boolean): boolean {
    this.#isOverwritten = isOverwritten;
    const visible = visibleText(row).trim();
    if (!hasWords(visible)) return false;
    if (!isOverwritten) return this.#isNew(visible);
    const signature = progressSignature(visible);
    const isSame = signature === this.#progress;
    this.#progress = signature;
    return !isSame;
  }

  /** Ended by a line feed. */
  admitLast(row: string): boolean {
    this.#isOverwritten = false;
    const wasRedrawn = this.#progress !== null;
    this.#progress = null;
    if (this.#seen.length === 0) return !wasRedrawn || visibleText(row).trim() !== '';
    this.#plainLines += 1;
    if (this.#plainLines > plainLinesToForget) this.#seen = [];
    const visible = visibleText(row).trim();
    return visible !== '' && !this.#seen.includes(visible);
  }

  /** A prompt once, a progress stage with its line. Changes no state: it depends on timing. */
  showsPartial(row: string): boolean {
    const visible = visibleText(row).trim();
    if (this.#seen.length > 0) return hasWords(visible) && !this.#seen.includes(visible);
    if (this.#progress !== null) return hasWords(visible) && progressSignature(visible) !== this.#progress;
    if (hasWords(visible)) return true;
    if (this.#isOverwritten) return false;
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
