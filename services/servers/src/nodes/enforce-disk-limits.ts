import { isAppError } from '@panel/kit/errors';
import type { GameNode } from '../domain/nodes/node.js';
import type { PowerAction } from '../domain/servers/server.js';
import type { ServerState } from '../models/servers/server.js';
import type { NodeDeps } from './dependencies.js';
import type { PowerService } from '../games/power-service.js';
import { diskLimitExceeded } from './disk-watch.js';

type LimitDeps = Pick<NodeDeps, 'nodes' | 'servers' | 'files' | 'hub' | 'clock' | 'log'>;

const bytesPerMb = 1024 * 1024;
/** Then a kill follows. */
const saveMs = 30_000;

/** Games write unmetered. They cannot start until there is room. */
export async function enforceDiskLimits(
  deps: LimitDeps,
  power: PowerService,
  nodeIds: readonly string[],
): Promise<void> {
  await checkGames(deps, power, nodeIds, ({ power: { state } }) => state === 'running' || state === 'stopping');
}

/** More often: many unpack themselves. */
export async function watchStartingGames(
  deps: LimitDeps,
  power: PowerService,
  nodeIds: readonly string[],
): Promise<void> {
  await checkGames(deps, power, nodeIds, ({ power: { state } }) => state === 'starting');
}

async function checkGames(
  deps: LimitDeps,
  power: PowerService,
  nodeIds: readonly string[],
  isChecked: (state: ServerState) => boolean,
): Promise<void> {
  if (nodeIds.length === 0) return;
  const nodes = new Map((await deps.nodes.getMany(nodeIds)).map((node) => [node.id, node]));
  for (const state of await deps.servers.activeStatesOfNodes(nodeIds)) {
    const node = nodes.get(state.nodeId);
    if (!node || state.limits.diskMb === 0 || !isChecked(state)) continue;
    try {
      await checkGame(deps, power, node, state);
    } catch (error) {
      deps.log.warn({ err: error, serverId: state.id }, 'the files of a server were not checked');
    }
  }
}

async function checkGame(deps: LimitDeps, power: PowerService, node: GameNode, state: ServerState): Promise<void> {
  const isStarting = state.power.state === 'starting';
  const usedBytes = await (isStarting ? deps.files.measureFresh(node, state) : deps.files.measuredUsage(node, state));
  if (usedBytes <= state.limits.diskMb * bytesPerMb) return;
  const server = await deps.servers.get(state.id);
  const action = server && actionFor(server.power, deps.clock());
  if (!server || !action) return;
  const { message } = diskLimitExceeded(usedBytes, state.limits.diskMb);
  deps.hub.console(state.id).notice(`${message}: the server is ${action === 'kill' ? 'killed' : 'stopped'}`);
  try {
    await power.request(server, action);
  } catch (error) {
    // Another action won, or the game ended.
    if (!isAppError(error) || error.kind !== 'failed_precondition') throw error;
  }
}

/** A starting game has nothing to save. A slow stop becomes a kill. */
function actionFor({ state, changedAt }: ServerState['power'], now: Date): PowerAction | null {
  if (state === 'running') return 'stop';
  if (state === 'starting') return 'kill';
  return state === 'stopping' && now.getTime() - changedAt.getTime() > saveMs ? 'kill' : null;
}
