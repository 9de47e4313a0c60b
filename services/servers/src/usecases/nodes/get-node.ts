import type { PageQuery } from '@panel/kit/mongo';
import type { ServersContext } from '../../context.js';
import type { GameNode, ObservedNode } from '../../domain/nodes/node.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

type NodeDeps = Pick<ServersContext, 'stores' | 'clock'>;

/** Throws NODE_NOT_FOUND. */
export async function getNode({ stores, clock }: NodeDeps, nodeId: string): Promise<ObservedNode> {
  return { ...(await loadNode(stores, nodeId)), observedAt: clock() };
}

export async function listNodes(
  { stores, clock }: NodeDeps,
  page: PageQuery,
): Promise<{ nodes: ObservedNode[]; total: number }> {
  const { nodes, total } = await stores.nodes.list(page);
  const observedAt = clock();
  return { nodes: nodes.map((node) => ({ ...node, observedAt })), total };
}

/** Throws NODE_NOT_FOUND. */
export async function loadNode({ nodes }: Pick<Stores, 'nodes'>, nodeId: string): Promise<GameNode> {
  const node = await nodes.get(nodeId);
  if (!node) throw nodeNotFound(nodeId);
  return node;
}

export function nodeNotFound(nodeId: string) {
  return fail('NODE_NOT_FOUND', 'no such node', { node_id: nodeId });
}
