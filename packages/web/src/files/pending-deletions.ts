import type { BrowserSession } from '../api/session.js';

class PendingDeletions {
  #paths: ReadonlySet<string> = new Set();
  readonly #listeners = new Set<() => void>();

  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(paths: readonly string[]): void {
    this.#set([...this.#paths, ...paths]);
  }

  remove(paths: readonly string[]): void {
    this.#set([...this.#paths].filter((path) => !paths.includes(path)));
  }

  #set(paths: readonly string[]): void {
    this.#paths = new Set(paths);
    for (const listener of this.#listeners) listener();
  }
}

const known = new Map<string, PendingDeletions>();

/** Per server. Survives page changes, ends at sign-out. */
export function deletionsOf(session: BrowserSession, serverId: string): PendingDeletions {
  const found = known.get(serverId);
  if (found) return found;
  if (known.size === 0) session.onSignOut(() => known.clear());
  const created = new PendingDeletions();
  known.set(serverId, created);
  return created;
}
