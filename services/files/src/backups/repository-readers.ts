import { KeyedMutex } from '@panel/kit/async';

/**
 * Who reads the repository of a server: its unused packs are removed only while nobody does, since a reader knows where contents lie
 * from its beginning on, and packs are put together anew. Readers wait for a removal that has begun.
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

  /** Remove something while nobody begins to read; `work` is told whether somebody reads already. */
  async remove<T>(serverId: string, work: (isRead: boolean) => Promise<T>): Promise<T> {
    return this.#removals.run(serverId, async () => work(this.#counts.has(serverId)));
  }

  #add(serverId: string, change: number): void {
    const count = (this.#counts.get(serverId) ?? 0) + change;
    if (count > 0) this.#counts.set(serverId, count);
    else this.#counts.delete(serverId);
  }
}
