import type { GameDeps } from './deps.js';
import type { PowerService } from './power-service.js';

const maxAtOnce = 16;

/** Also continues actions of dead workers. */
export async function startWanted(
  { servers, attempt }: Pick<GameDeps, 'servers' | 'attempt'>,
  power: Pick<PowerService, 'startWanted' | 'takeOver'>,
  nodes: { readonly owned: readonly string[]; readonly reachable: readonly string[] },
): Promise<void> {
  if (nodes.owned.length === 0) return;
  const each = async (serverId: string, work: () => Promise<void>) => attempt('start-wanted-servers', serverId, work);
  // Unreachable engines wait.
  for (const { id } of await servers.dueForStart(nodes.reachable, maxAtOnce))
    await each(id, async () => power.startWanted(id));
  for (const { id } of await servers.abandoned(nodes.owned, maxAtOnce)) await each(id, async () => power.takeOver(id));
}
