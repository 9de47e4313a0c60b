import type { NodeStore } from '../models/nodes/node.js';
import type { ServerStore } from '../models/servers/server.js';

interface NodeNameStores {
  readonly nodes: Pick<NodeStore, 'nameOf' | 'names'>;
  readonly servers: Pick<ServerStore, 'setNodeName'>;
}

/**
 * Have the servers of a node, or one of them, carry the name that the node has now. Call it after every write that gives a
 * node another name or a server another node. The name is read after that write, and a server never goes back to an older
 * revision: whichever of two writers reads last carries the newest name to all.
 */
export async function copyNodeName(
  { nodes, servers }: NodeNameStores,
  nodeId: string,
  serverId?: string,
): Promise<void> {
  const name = await nodes.nameOf(nodeId);
  if (name) await servers.setNodeName(nodeId, name, serverId);
}

/** Finish what a process that died left out of `copyNodeName`. One indexed write a node, which mostly matches nothing. */
export async function repairNodeNames({ nodes, servers }: NodeNameStores, nodeIds: readonly string[]): Promise<void> {
  const names = await nodes.names();
  for (const nodeId of nodeIds) {
    const name = names.get(nodeId);
    if (name) await servers.setNodeName(nodeId, name);
  }
}
