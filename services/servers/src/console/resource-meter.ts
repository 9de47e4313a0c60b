import type { Logger } from '@panel/kit/process';
import type { NodeConnection } from '../domain/nodes/node.js';
import type { NodeFiles } from '../node-clients/files.js';
import type { Runtimes } from '../node-clients/runtimes.js';
import { type MeteredServer, type Resources, resourcesOf } from './console-events.js';
import { StatsFeeds } from './stats-feed.js';

/** Below the 1.5 s of a resource request. */
const statsTimeoutMs = 1_200;

export class ResourceMeter {
  readonly #feeds: StatsFeeds;
  readonly #known = new Map<string, { server: MeteredServer; node: NodeConnection }>();

  constructor(
    log: Logger,
    private readonly files: NodeFiles,
    private readonly runtimes: Runtimes,
    publish: (serverId: string, generation: number, resources: Resources) => void,
  ) {
    this.#feeds = new StatsFeeds(log, (serverId, stats) => {
      const known = this.#known.get(serverId);
      if (known?.server.power.generation !== stats.generation) return;
      const diskBytes = this.files.usageSoon(known.node, known.server);
      publish(serverId, stats.generation, resourcesOf(known.server, stats, diskBytes));
    });
  }

  /** Publishes the usage of a running server for 30 s. */
  want(server: MeteredServer, node: NodeConnection): void {
    this.#known.set(server.id, { server, node });
    this.#feeds.want(server.id, server.power.generation, this.runtimes.of(node));
  }

  /** Zeros if stopped or at an engine timeout. `loadNode` runs only when needed. */
  async read(server: MeteredServer, loadNode: () => Promise<NodeConnection>): Promise<Resources> {
    const known = this.files.freshUsage(server.id);
    if (server.power.state === 'offline' && known !== null) return resourcesOf(server, null, known);
    const node = await loadNode();
    if (server.power.state === 'offline') return resourcesOf(server, null, await this.files.usage(node, server));
    this.#known.set(server.id, { server, node });
    const [stats, diskBytes] = await Promise.all([
      this.#feeds.latest(server.id, server.power.generation, this.runtimes.of(node), statsTimeoutMs),
      this.files.usage(node, server),
    ]);
    return resourcesOf(server, stats, diskBytes);
  }

  observe(server: MeteredServer): void {
    const known = this.#known.get(server.id);
    if (!known) return;
    if (server.power.state === 'offline') {
      this.#feeds.stop(server.id);
      this.#known.delete(server.id);
    } else known.server = server;
  }

  stop(): void {
    this.#feeds.stopAll();
  }
}
