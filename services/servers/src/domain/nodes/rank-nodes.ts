import { type GameNode, insufficientResource, nodeStatus, type ResourceRequest } from './node.js';

interface Choice {
  readonly reserved: readonly string[];
  readonly at: Date;
  /** Called with why a node is none that could take it. */
  readonly refuse: (why: string) => void;
}

/**
 * Nodes that could take it: those first where an earlier try has reserved it, then those whose engine answers, then by
 * free memory. One that is known not to answer could not install it.
 */
export function rankNodes(
  nodes: readonly GameNode[],
  { resources, nodeTags }: { readonly resources: ResourceRequest; readonly nodeTags: readonly string[] },
  { reserved, at, refuse }: Choice,
): GameNode[] {
  const why = (node: GameNode) => {
    if (!nodeTags.every((tag) => node.tags.includes(tag))) return 'tags';
    if (reserved.includes(node.id)) return null;
    if (node.maintenanceMode) return 'maintenance';
    if (nodeStatus(node.health, at) === 'offline') return 'offline';
    return insufficientResource(node, resources);
  };
  const fitting = nodes.filter((node) => {
    const refusal = why(node);
    if (refusal !== null) refuse(refusal);
    return refusal === null;
  });
  const answers = (node: GameNode) => (nodeStatus(node.health, at) === 'online' ? 1 : 0);
  const free = (node: GameNode) => node.memoryMb - node.allocated.memoryMb;
  const isFirst = (node: GameNode) => (reserved.includes(node.id) ? 1 : 0);
  return fitting.sort((a, b) => isFirst(b) - isFirst(a) || answers(b) - answers(a) || free(b) - free(a));
}
