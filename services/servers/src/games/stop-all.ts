import { runSettingsOf } from '../domain/servers/run-settings.js';
import type { GameDeps } from './deps.js';
import type { PowerService } from './power-service.js';

/** A service that is asked to end has 9 s in all. */
const graceMs = 4_000;

/**
 * End every running game of these nodes, all at once. What their owners want stays "running", so that the next start of
 * the service brings them back, except those that are never started by themselves.
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
            await power.forceStop(server, graceMs);
            if (runSettingsOf(server).autoStart === 'never') await deps.servers.power.wantOffline(id);
          } catch (error) {
            deps.log.warn({ err: error, serverId: id }, 'a game could not be stopped');
          }
        }),
      );
    }),
  );
}
