import type { GameNode } from '../domain/nodes/node.js';
import type { Runtime } from '@panel/runtime';
import type { NodeDeps } from './deps.js';

/**
 * After a start of the engine of a node: have the servers with auto-start `always` wanted that were stopped before. The
 * others need nothing: what ran is still wanted, and what is never started was given up when it ended. Done before it is
 * noted down, so that a process that dies between does it again.
 */
export async function applyAutoStart(
  deps: Pick<NodeDeps, 'settings' | 'owner' | 'nodes' | 'servers' | 'hub' | 'log'>,
  { id }: Pick<GameNode, 'id'>,
  runtime: Runtime,
): Promise<void> {
  const engine = await runtime.startId();
  if (engine === '') return;
  // Where games end with the panel, its start is that of the node.
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
