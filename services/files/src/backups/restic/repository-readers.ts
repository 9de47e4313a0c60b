import { KeyedMutex } from '@panel/kit/async';

/**
 * A reader loads pack locations at its start, and `--prune` moves them: a removal prunes only without readers and
 * blocks new ones.
 */
export class RepositoryReaders {
  readonly #counts = new Map<string, number>();
  readonly #removals = new KeyedMutex();

  /** The returned function or `signal` ends the read. */
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

  async run<T>(serverId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(serverId, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Blocks new readers; `isRead`: others exist. */
  async remove<T>(serverId: string, work: (isRead: boolean) => Promise<T>): Promise<T> {
    return this.#removals.run(serverId, async () => work(this.#counts.has(serverId)));
  }

  #add(serverId: string, change: number): void {
    const count = (this.#counts.get(serverId) ?? 0) + change;
    if (count > 0) this.#counts.set(serverId, count);
    else this.#counts.delete(serverId);
  }
}
