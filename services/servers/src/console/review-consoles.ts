import type { NodeStore } from '../models/nodes/node.js';
import type { ServerStore } from '../models/servers/server.js';
import type { ConsoleHub } from './console-hub.js';
import type { ResourceMeter } from './resource-meter.js';

interface ReviewDeps {
  readonly hub: ConsoleHub;
  readonly meter: Pick<ResourceMeter, 'want'>;
  readonly servers: Pick<ServerStore, 'states'>;
  readonly nodes: Pick<NodeStore, 'getMany'>;
}

/** Closes consoles that left this replica's nodes; meters running servers. */
export async function reviewConsoles(
  { hub, meter, servers, nodes }: ReviewDeps,
  owned: readonly string[],
): Promise<void> {
  const watched = hub.watched();
  if (watched.length === 0) return;
  const states = await servers.states(watched);
  hub.close(states.filter(({ nodeId }) => !owned.includes(nodeId)).map(({ id }) => id));
  hub.review(watched, states);
  const running = states.filter(({ power }) => power.state !== 'offline');
  const found = await nodes.getMany([...new Set(running.map(({ nodeId }) => nodeId))]);
  const byId = new Map(found.map((node) => [node.id, node]));
  for (const state of running) {
    const node = byId.get(state.nodeId);
    if (node) meter.want(state, node);
  }
}
