/** A text that is not saved yet, and the version of the file it was made from. */
interface DraftText {
  readonly text: string;
  readonly sha256: string;
}

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const pauseMs = 500;

/** What is not saved of one file. Kept in this browser, so that it survives a closed tab. */
export class Draft {
  readonly #key: string;
  readonly #memory: Memory;
  #waiting: { readonly timer: ReturnType<typeof setTimeout>; readonly read: () => DraftText } | null = null;

  constructor(serverId: string, path: string, memory: Memory = localStorage) {
    this.#key = `panel-draft-${serverId}-${path}`;
    this.#memory = memory;
  }

  /** What was kept; null when there is nothing. */
  read(): DraftText | null {
    const kept = parse(this.#memory.getItem(this.#key));
    const isDraft = typeof kept?.text === 'string' && typeof kept.sha256 === 'string';
    return isDraft ? (kept as DraftText) : null;
  }

  /** Keep what `read` gives, as soon as nothing is typed for a moment. */
  keep(read: () => DraftText): void {
    clearTimeout(this.#waiting?.timer);
    this.#waiting = { timer: setTimeout(() => this.flush(), pauseMs), read };
  }

  /** Keep at once what waits. */
  flush(): void {
    if (!this.#waiting) return;
    const { timer, read } = this.#waiting;
    clearTimeout(timer);
    this.#waiting = null;
    try {
      this.#memory.setItem(this.#key, JSON.stringify(read()));
    } catch (error) {
      // The text is larger than what a browser keeps: it is in the editor only.
      if (!(error instanceof DOMException)) throw error;
    }
  }

  /** Forget it, also what waits. */
  discard(): void {
    clearTimeout(this.#waiting?.timer);
    this.#waiting = null;
    this.#memory.removeItem(this.#key);
  }
}

/** Null for what is no JSON: other versions of this page may have written it. */
function parse(text: string | null): Partial<DraftText> | null {
  try {
    return text === null ? null : (JSON.parse(text) as Partial<DraftText> | null);
  } catch {
    return null;
  }
}
