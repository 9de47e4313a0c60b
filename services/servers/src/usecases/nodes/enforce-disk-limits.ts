import type { GameNode } from '../../domain/nodes/node.js';
import type { ServerState } from '../../models/servers/server.js';
import type { GameDeps } from '../power/deps.js';
import type { PowerService } from '../power/power-service.js';
import { isAppError } from '@panel/kit';

const bytesPerMb = 1024 * 1024;

/**
 * Stop running games whose files have outgrown their limit. A game writes where nobody counts, so this is found out
 * afterwards; it cannot be started again until there is room.
 */
export async function enforceDiskLimits(
  deps: GameDeps,
  power: PowerService,
  nodeIds: readonly string[],
): Promise<void> {
  for (const node of await deps.nodes.getMany(nodeIds)) {
    const states = await deps.servers.statesOfNode(node.id);
    for (const state of states) {
      if (state.power.state === 'running' && state.limits.diskMb > 0) await checkGame(deps, power, node, state);
    }
  }
}

async function checkGame(deps: GameDeps, power: PowerService, node: GameNode, state: ServerState): Promise<void> {
  const used = await deps.files.usage(node, state.id);
  if (used <= state.limits.diskMb * bytesPerMb) return;
  const server = await deps.servers.get(state.id);
  if (!server) return;
  const words = `the files take ${Math.ceil(used / bytesPerMb)} MB of ${state.limits.diskMb} MB: the server is stopped`;
  deps.hub.console(state.id).notice(words);
  try {
    await power.request(server, 'stop');
  } catch (error) {
    // Somebody else was faster, or it has ended meanwhile.
    if (!isAppError(error) || error.kind !== 'failed_precondition') throw error;
  }
}
