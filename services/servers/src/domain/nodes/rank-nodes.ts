import { type GameNode, insufficientResource, type ResourceRequest } from './node.js';
import { nodeStatus, placementProblem } from './node-status.js';

interface Choice {
  readonly reserved: readonly string[];
  readonly at: Date;
  /** Gets the reason. */
  readonly refuse: (why: string) => void;
}

/** First nodes reserved by an earlier attempt, then reachable ones, then by free memory. */
export function rankNodes(
  nodes: readonly GameNode[],
  { resources, nodeTags }: { readonly resources: ResourceRequest; readonly nodeTags: readonly string[] },
  { reserved, at, refuse }: Choice,
): GameNode[] {
  const why = (node: GameNode) => {
    if (!nodeTags.every((tag) => node.tags.includes(tag))) return 'tags';
    if (reserved.includes(node.id)) return null;
    if (node.maintenanceMode) return 'maintenance';
    return refusalOf(node.health) ?? insufficientResource(node, resources);
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

function refusalOf(health: GameNode['health']): string | null {
  const problem = placementProblem(health);
  if (problem === null || problem === 'never_checked') return problem;
  if (!health.isReachable) return 'offline';
  return problem === 'files_unreachable' ? 'files' : problem;
}
