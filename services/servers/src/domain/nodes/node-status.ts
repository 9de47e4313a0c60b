import { fail } from '../../reasons.js';
import type { GameNode, NodeHealth } from './node.js';

/** Then the status is unknown. */
const staleAfterMs = 60_000;

export const nodeStatuses = ['online', 'offline', 'unknown'] as const;
type NodeStatus = (typeof nodeStatuses)[number];

export function nodeStatus({ isReachable, checkedAt }: NodeHealth, now: Date): NodeStatus {
  if (checkedAt === null || now.getTime() - checkedAt.getTime() > staleAfterMs) return 'unknown';
  return isReachable ? 'online' : 'offline';
}

/** Also of a node that is offline because of its disk. Null: not known. */
export function isEngineUp(health: NodeHealth, now: Date): boolean | null {
  const status = nodeStatus(health, now);
  if (status === 'unknown') return null;
  return status === 'online' || health.problem?.startsWith('data_root_') === true;
}

/** Of a node that is online. Null: not known. */
export function areFilesUp(health: NodeHealth, now: Date): boolean | null {
  return nodeStatus(health, now) === 'online' ? health.problem !== 'files_unreachable' : null;
}

/** Why a node gets no servers, as far as its last check says, also an old one. Null: nothing is known against it. */
export function placementProblem({ checkedAt, isReachable, reason, problem }: NodeHealth): string | null {
  if (checkedAt === null) return 'never_checked';
  return isReachable && reason === null ? null : (problem ?? 'check_failed');
}

/** Throws NODE_NOT_READY. Files that are there may get their server before staff accept those of the node. */
export function requireReady({ id, health }: GameNode, { hasFiles }: { readonly hasFiles: boolean }): void {
  const problem = placementProblem(health);
  if (problem === null || (hasFiles && problem === 'data_root_newer')) return;
  const words = health.reason ?? 'it has not been checked yet';
  throw fail('NODE_NOT_READY', `the node gets no servers: ${words}`, { node_id: id, problem });
}
