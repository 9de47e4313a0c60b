import type { Logger } from '@panel/kit/process';
import type { InstanceStats, Runtime } from '@panel/runtime';

/** After a request. */
const keepMs = 30_000;
const freshMs = 3_000;

interface Feed {
  readonly generation: number;
  readonly abort: AbortController;
  wantedUntil: number;
  latest: InstanceStats | null;
  latestAt: number;
  waiting: ((stats: InstanceStats | null) => void)[];
}

/** Once a second on demand: engine calls for idle servers would cost more than small games. */
export class StatsFeeds {
  readonly #feeds = new Map<string, Feed>();

  constructor(
    private readonly log: Logger,
    private readonly onStats: (serverId: string, stats: InstanceStats) => void,
  ) {}

  /** Drops usage of an earlier run. */
  want(serverId: string, generation: number, runtime: Runtime): void {
    const known = this.#feeds.get(serverId);
    const wantedUntil = performance.now() + keepMs;
    if (known?.generation === generation) {
      known.wantedUntil = wantedUntil;
      return;
    }
    known?.abort.abort();
    this.#start(serverId, generation, runtime, wantedUntil);
  }

  /** A sample at most 3 s old, else the next, else the last one after `timeoutMs`. */
  async latest(
    serverId: string,
    generation: number,
    runtime: Runtime,
    timeoutMs: number,
  ): Promise<InstanceStats | null> {
    this.want(serverId, generation, runtime);
    const feed = this.#feeds.get(serverId);
    if (!feed) return null;
    if (isWhole(feed.latest) && performance.now() - feed.latestAt < freshMs) return feed.latest;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(feed.latest), timeoutMs);
      feed.waiting.push((stats) => {
        clearTimeout(timer);
        resolve(stats);
      });
    });
  }

  stop(serverId: string): void {
    this.#feeds.get(serverId)?.abort.abort();
  }

  stopAll(): void {
    for (const feed of this.#feeds.values()) feed.abort.abort();
  }

  #start(serverId: string, generation: number, runtime: Runtime, wantedUntil: number): void {
    const abort = new AbortController();
    const feed: Feed = { generation, abort, wantedUntil, latest: null, latestAt: 0, waiting: [] };
    this.#feeds.set(serverId, feed);
    void this.#run(serverId, runtime, feed);
  }

  async #run(serverId: string, runtime: Runtime, feed: Feed): Promise<void> {
    try {
      for await (const stats of runtime.readStats(serverId, feed.abort.signal)) {
        if (feed.abort.signal.aborted) break;
        // The previous instance exists until its replacement is made.
        if (stats.generation !== feed.generation) continue;
        feed.latest = stats;
        feed.latestAt = performance.now();
        if (isWhole(stats)) {
          this.#answer(feed, stats);
          this.onStats(serverId, stats);
        }
        if (feed.latestAt > feed.wantedUntil) break;
      }
    } catch (error) {
      if (!feed.abort.signal.aborted) this.log.debug({ err: error, serverId }, 'usage cannot be read');
    } finally {
      feed.abort.abort();
      if (this.#feeds.get(serverId) === feed) this.#feeds.delete(serverId);
      this.#answer(feed, feed.latest);
    }
  }

  #answer(feed: Feed, stats: InstanceStats | null): void {
    for (const resolve of feed.waiting.splice(0)) resolve(stats);
  }
}

/** A first sample has no CPU figure. */
function isWhole(stats: InstanceStats | null): stats is InstanceStats {
  return stats !== null && stats.cpuPercent !== null;
}
