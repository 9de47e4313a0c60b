import { runSettingsOf } from '../domain/servers/run-settings.js';
import type { GameDeps } from './dependencies.js';
import type { PowerService } from './power-service.js';

/** Part of the 9 s of a shutdown. */
const graceMs = 4_000;

/**
 * In parallel. `desired` stays "running": the service's next start restarts them, except those that never start
 * automatically.
 */
export async function stopAllGames(deps: GameDeps, power: PowerService, nodeIds: readonly string[]): Promise<void> {
  await Promise.all(
    nodeIds.map(async (nodeId) => {
      const states = await deps.servers.statesOfNode(nodeId);
      const running = states.filter(({ power: { state } }) => state !== 'offline');
      await Promise.all(
        running.map(async ({ id }) => {
          try {
            const server = await deps.servers.get(id);
            if (!server) return;
            await power.forceStop(server, graceMs, { kind: 'shutdown' });
            if (runSettingsOf(server).autoStart === 'never') await deps.servers.power.wantOffline(id);
          } catch (error) {
            deps.log.warn({ err: error, serverId: id }, 'a game could not be stopped');
          }
        }),
      );
    }),
  );
}
