import { KeyedMutex } from '@panel/kit/async';

/**
 * Readers of the repository of a server. A reader learns at its begin in which packs contents lie, and `--prune` moves them:
 * so a removal prunes only without readers, and new readers wait for it.
 */
export class RepositoryReaders {
  readonly #counts = new Map<string, number>();
  readonly #removals = new KeyedMutex();

  /** Begin to read; it ends with the returned function, or with `signal`. */
  async enter(serverId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await this.#removals.run(serverId, async () => this.#add(serverId, 1));
    let hasLeft = false;
    const leave = () => {
      if (!hasLeft) this.#add(serverId, -1);
      hasLeft = true;
      signal.removeEventListener('abort', leave);
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    return leave;
  }

  /** Read from beginning to end. */
  async run<T>(serverId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(serverId, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Run a removal while no reader begins; `work` gets whether there is one already. */
  async remove<T>(serverId: string, work: (isRead: boolean) => Promise<T>): Promise<T> {
    return this.#removals.run(serverId, async () => work(this.#counts.has(serverId)));
  }

  #add(serverId: string, change: number): void {
    const count = (this.#counts.get(serverId) ?? 0) + change;
    if (count > 0) this.#counts.set(serverId, count);
    else this.#counts.delete(serverId);
  }
}
