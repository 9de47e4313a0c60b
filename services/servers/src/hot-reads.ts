import { unchanging } from '@panel/rpc';

/** How old an answer may be that is given again. Also how long a right that is taken away is waited for. */
const maxAgeMs = 500;
const maxEntries = 2_000;

interface Entry {
  /** Null: tells of several servers. */
  readonly serverId: string | null;
  /** When its reading began. */
  readonly at: number;
  readonly answer: Promise<unknown>;
}

/**
 * Answers about servers that are asked for again and again: each is given for half a second to whoever asks the same with
 * the same rights. Every write of this process drops what it changed, before and after it, so that nobody here reads
 * what was before their own change. Other replicas see a change half a second later at most; a change that takes a right
 * away is therefore answered only when that time is over (`settle`), and has reached all of them then.
 */
export class HotReads {
  readonly #entries = new Map<string, Entry>();

  constructor(
    private readonly ageMs = maxAgeMs,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** What `read` answers, or has answered to the same key just now. Failures are not kept. */
  async get<T extends object>(key: string, serverId: string | null, read: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known && this.now() - known.at < this.ageMs) return known.answer as Promise<T>;
    const entry: Entry = { serverId, at: this.now(), answer: read().then(unchanging) };
    this.#keep(key, entry);
    try {
      return (await entry.answer) as T;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    }
  }

  /** Forget what is known of a server; null forgets everything. */
  drop(serverId: string | null): void {
    for (const [key, entry] of this.#entries) {
      if (serverId === null || entry.serverId === null || entry.serverId === serverId) this.#entries.delete(key);
    }
  }

  /** Resolves when no replica can know any more what was before now. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => setTimeout(resolve, this.ageMs));
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const [oldest, { at }] of this.#entries) {
      if (this.#entries.size <= maxEntries && entry.at - at < this.ageMs) return;
      this.#entries.delete(oldest);
    }
  }
}
