import type { GameDeps } from './dependencies.js';
import type { PowerService } from './power-service.js';

const maxAtOnce = 16;

/** Also continues actions of dead workers. */
export async function startWanted(
  { servers, attempt }: Pick<GameDeps, 'servers' | 'attempt'>,
  power: Pick<PowerService, 'startWanted' | 'takeOver'>,
  nodes: {
    readonly owned: readonly string[];
    readonly reachable: readonly string[];
    /** Where games are stopped by the records. */
    readonly current: readonly string[];
  },
): Promise<void> {
  const each = async (serverId: string, work: () => Promise<void>) => attempt('start-wanted-servers', serverId, work);
  // Unreachable engines wait.
  for (const { id } of await servers.dueForStart(nodes.reachable, maxAtOnce))
    await each(id, async () => power.startWanted(id));
  const others = nodes.owned.filter((nodeId) => !nodes.current.includes(nodeId));
  const abandoned = [
    ...(await servers.abandoned(nodes.current, maxAtOnce)),
    // Their next worker stops no game.
    ...(await servers.abandonedStarts(others, maxAtOnce)),
  ];
  for (const { id } of abandoned) await each(id, async () => power.takeOver(id));
}
