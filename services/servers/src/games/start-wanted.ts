import type { GameDeps } from './deps.js';
import type { PowerService } from './power-service.js';

const maxAtOnce = 16;

/** Start the servers that shall run, and continue the actions whose workers have died. */
export async function startWanted(
  { servers, attempt }: Pick<GameDeps, 'servers' | 'attempt'>,
  power: Pick<PowerService, 'startWanted' | 'takeOver'>,
  nodes: { readonly owned: readonly string[]; readonly reachable: readonly string[] },
): Promise<void> {
  if (nodes.owned.length === 0) return;
  const each = async (serverId: string, work: () => Promise<void>) => attempt('start-wanted-servers', serverId, work);
  // Where the engine is unavailable everything waits: what is wanted is still wanted when it is back.
  for (const { id } of await servers.dueForStart(nodes.reachable, maxAtOnce))
    await each(id, async () => power.startWanted(id));
  for (const { id } of await servers.abandoned(nodes.owned, maxAtOnce)) await each(id, async () => power.takeOver(id));
}
