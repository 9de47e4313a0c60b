import { isAppError } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { runSettingsOf } from '../../domain/servers/run-settings.js';
import { nodeOf } from '../servers/load-server.js';
import { limitsOf } from '../../games/instance-spec.js';

/** Applies limits; true if other settings wait for the next start. */
export async function applyToRunningGame(
  context: Pick<ServersContext, 'stores' | 'runtimes'>,
  before: GameServer,
  after: GameServer,
): Promise<boolean> {
  if (after.power.state === 'offline') return false;
  const needsRestart = settingsOf(before) !== settingsOf(after);
  if (JSON.stringify(limitsOf(before)) === JSON.stringify(limitsOf(after))) return needsRestart;
  const runtime = context.runtimes.of(await nodeOf(context, after));
  try {
    return !(await runtime.updateLimits(after.id, limitsOf(after))) || needsRestart;
  } catch (error) {
    // Not running or unreachable: the next start applies the limits.
    if (isAppError(error, 'INSTANCE_NOT_FOUND', 'NODE_UNREACHABLE', 'ENGINE_FAILED')) return true;
    throw error;
  }
}

/** Applied only at a start. */
function settingsOf(server: GameServer): string {
  const { dockerImage, startup, environment, allocationId, allocations } = server;
  const { timezone } = runSettingsOf(server);
  return JSON.stringify([dockerImage, startup, environment, allocationId, allocations.map(({ id }) => id), timezone]);
}
