interface DraftText {
  readonly text: string;
  readonly sha256: string;
}

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const pauseMs = 500;

/** A file's unsaved text, stored in this browser across closed tabs. */
export class Draft {
  readonly #key: string;
  readonly #memory: Memory;
  #waiting: { readonly timer: ReturnType<typeof setTimeout>; readonly read: () => DraftText } | null = null;

  constructor(serverId: string, path: string, memory: Memory = localStorage) {
    this.#key = `panel-draft-${serverId}-${path}`;
    this.#memory = memory;
  }

  read(): DraftText | null {
    const retained = parse(this.#memory.getItem(this.#key));
    const isDraft = typeof retained?.text === 'string' && typeof retained.sha256 === 'string';
    return isDraft ? (retained as DraftText) : null;
  }

  /** Stores what `read` gives once typing pauses. */
  keep(read: () => DraftText): void {
    clearTimeout(this.#waiting?.timer);
    this.#waiting = { timer: setTimeout(() => this.flush(), pauseMs), read };
  }

  flush(): void {
    if (!this.#waiting) return;
    const { timer, read } = this.#waiting;
    clearTimeout(timer);
    this.#waiting = null;
    try {
      this.#memory.setItem(this.#key, JSON.stringify(read()));
    } catch (error) {
      // Beyond the browser's storage limit: only in the editor.
      if (!(error instanceof DOMException)) throw error;
    }
  }

  discard(): void {
    clearTimeout(this.#waiting?.timer);
    this.#waiting = null;
    this.#memory.removeItem(this.#key);
  }
}

/** Other versions of this page may have written it. */
function parse(text: string | null): Partial<DraftText> | null {
  try {
    return text === null ? null : (JSON.parse(text) as Partial<DraftText> | null);
  } catch {
    return null;
  }
}
