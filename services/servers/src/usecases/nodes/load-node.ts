import type { GameNode } from '../../domain/nodes/node.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

/** Throws NODE_NOT_FOUND. */
export async function loadNode({ nodes }: Pick<Stores, 'nodes'>, nodeId: string): Promise<GameNode> {
  const node = await nodes.get(nodeId);
  if (!node) throw nodeNotFound(nodeId);
  return node;
}

export function nodeNotFound(nodeId: string) {
  return fail('NODE_NOT_FOUND', 'no such node', { node_id: nodeId });
}
