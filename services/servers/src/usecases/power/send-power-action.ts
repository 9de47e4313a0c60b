import { setTimeout as wait } from 'node:timers/promises';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { powerPermissions } from '@panel/protos/permissions';
import type { Caller } from '@panel/rpc';
import { runtimeError } from '@panel/runtime';
import type { ServersContext } from '../../context.js';
import { nodeStatus } from '../../domain/nodes/node-status.js';
import { checkPowerAction } from '../../domain/power/power-transitions.js';
import { type GameServer, isEngineReported, type PowerAction, statusOf } from '../../domain/servers/server.js';
import { loadServer, nodeOf } from '../servers/load-server.js';

/** Limit of the engine's answer before a start is rejected. */
const pingMs = 2_000;

type RequestDeps = Pick<ServersContext, 'stores' | 'power' | 'runtimes' | 'clock'>;

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, INVALID_FIELDS without an action, and as `requestPowerAction`. */
export async function sendPowerAction(
  deps: RequestDeps,
  serverId: string,
  action: PowerAction | null,
  caller: Caller,
): Promise<string> {
  const { server } = await loadServer(deps, serverId, caller, action ? powerPermissions[action] : undefined);
  if (!action) throw invalidFields({ action: [fieldProblem('not_allowed', 'must be start, stop, restart or kill')] });
  return requestPowerAction(deps, server, action);
}

/**
 * Accepts an action, resolves with its id; the work continues. An unreachable engine rejects a start at once and delays
 * a stop. Throws NODE_UNREACHABLE and the errors of PowerService.request.
 */
export async function requestPowerAction(deps: RequestDeps, server: GameServer, action: PowerAction): Promise<string> {
  if (action === 'start' || action === 'restart') await requireReachable(deps, server, action);
  return deps.power.request(server, action);
}

async function requireReachable(deps: RequestDeps, server: GameServer, action: PowerAction): Promise<void> {
  const node = await nodeOf(deps, server);
  if (nodeStatus(node.health, deps.clock()) !== 'offline') return;
  // The engine may have recovered since the last check.
  const timeout = wait(pingMs, false, { ref: false });
  const answers = deps.runtimes
    .of(node)
    .ping()
    .then(
      () => true,
      () => false,
    );
  if (await Promise.race([answers, timeout])) return;
  // A running state is unconfirmed here and must not reject.
  if (!isEngineReported(statusOf(server))) checkPowerAction(server, action, deps.clock());
  throw runtimeError('NODE_UNREACHABLE', 'the container engine of this server does not answer', {
    node_id: server.nodeId,
  });
}
