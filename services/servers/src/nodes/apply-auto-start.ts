import type { GameNode } from '../domain/nodes/node.js';
import type { Runtime } from '@panel/runtime';
import type { NodeDeps } from './dependencies.js';

/**
 * After an engine start, makes stopped `always` servers wanted. Running ones are still wanted, `never` ones became
 * unwanted at their end. Recorded afterwards: a crash repeats it.
 */
export async function applyAutoStart(
  deps: Pick<NodeDeps, 'settings' | 'owner' | 'nodes' | 'servers' | 'hub' | 'log'>,
  { id }: Pick<GameNode, 'id'>,
  runtime: Runtime,
): Promise<void> {
  const engine = await runtime.startId();
  if (engine === '') return;
  // Games that end with the panel make its start the node's.
  const current = deps.settings.endsGamesWithService ? `${engine}/${deps.owner}` : engine;
  const before = await deps.nodes.engineStart(id);
  if (before === current) return;
  if (before !== null) {
    for (const serverId of await deps.servers.power.wantAlways(id)) {
      deps.log.info({ serverId, nodeId: id }, 'a server is started with its node');
      deps.hub.find(serverId)?.notice('the node has started: the server is started with it (auto-start: always)');
    }
  }
  await deps.nodes.setEngineStart(id, current);
}
