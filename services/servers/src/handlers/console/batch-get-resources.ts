import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { accessTo } from '../../domain/servers/access.js';

const maxServers = 100;

/** For lists: two queries for all of them, and what their engines answer in time. */
export function batchGetResources(context: ServersContext): Handler<ConsoleServiceService['batchGetResources']> {
  return async ({ serverIds }, { actor }) => {
    if (serverIds.length > maxServers) throw invalidFields({ server_ids: [`must be at most ${maxServers}`] });
    const states = (await context.stores.servers.states(serverIds)).filter((state) => accessTo(state, actor));
    const nodes = await context.stores.nodes.getMany([...new Set(states.map(({ nodeId }) => nodeId))]);
    const nodeById = new Map(nodes.map((node) => [node.id, node]));
    const entries = await Promise.all(
      states.map(async (state) => {
        const node = nodeById.get(state.nodeId);
        return node ? [[state.id, await context.orchestrator.meter.read(state, node)] as const] : [];
      }),
    );
    return { resourcesByServerId: Object.fromEntries(entries.flat()) };
  };
}
