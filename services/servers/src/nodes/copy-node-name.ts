import type { NodeStore } from '../models/nodes/node.js';
import type { ServerStore } from '../models/servers/server.js';

interface NodeNameStores {
  readonly nodes: Pick<NodeStore, 'nameOf' | 'names'>;
  readonly servers: Pick<ServerStore, 'setNodeName'>;
}

/**
 * Call it after each write of a node's name or a server's node. It reads the name after that write, and servers reject
 * older revisions: the last reader spreads the newest name.
 */
export async function copyNodeName(
  { nodes, servers }: NodeNameStores,
  nodeId: string,
  serverId?: string,
): Promise<void> {
  const name = await nodes.nameOf(nodeId);
  if (name) await servers.setNodeName(nodeId, name, serverId);
}

/** Completes `copyNodeName` after crashes. */
export async function repairNodeNames({ nodes, servers }: NodeNameStores, nodeIds: readonly string[]): Promise<void> {
  const names = await nodes.names();
  for (const nodeId of nodeIds) {
    const name = names.get(nodeId);
    if (name) await servers.setNodeName(nodeId, name);
  }
}
