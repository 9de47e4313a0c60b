import type { Logger } from '@panel/kit/process';
import type { InstanceStats, Runtime } from '@panel/runtime';

/** Usage is read on for this long after a request. */
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

/**
 * Usage of running games, read once a second and only while it is asked for: an engine call for each idle server would
 * cost more than the games of small ones.
 */
export class StatsFeeds {
  readonly #feeds = new Map<string, Feed>();

  constructor(
    private readonly log: Logger,
    private readonly onStats: (serverId: string, stats: InstanceStats) => void,
  ) {}

  /** Keep the usage of a running game coming. That of an earlier run is dropped. */
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

  /** The usage now: a sample at most 3 s old, else the next one, else what is known after `timeoutMs`. */
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
        // The instance before is there until the next one is made.
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

/** A busy game must not be shown as one that does nothing: the next look knows. */
function isWhole(stats: InstanceStats | null): stats is InstanceStats {
  return stats !== null && stats.cpuPercent !== null;
}
