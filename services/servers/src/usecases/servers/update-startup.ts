import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { requirePermission } from '../../domain/servers/access.js';
import type { GameServer } from '../../domain/servers/server.js';
import { startupChanges, type StartupUpdate } from '../../domain/servers/environment.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';
import { loadServer } from './load-server.js';
import { viewServer, type VisibleServer } from './view-server.js';

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, and as `setStartup`. */
export async function updateStartup(
  context: Pick<ServersContext, 'stores' | 'clock' | 'timezone'>,
  serverId: string,
  update: StartupUpdate,
  caller: Caller,
): Promise<VisibleServer> {
  const { server, access } = await loadServer(context, serverId, caller);
  const { environment, dockerImage, startupCommand } = update;
  const isImageOnly =
    dockerImage !== undefined && startupCommand === undefined && Object.keys(environment).length === 0;
  if (!isImageOnly) requirePermission(access, 'startup.update');
  if (dockerImage !== undefined) requirePermission(access, 'startup.docker-image');
  const updated = await setStartup(context.stores, server, update);
  return viewServer(context, updated, caller.actor, false);
}

/**
 * Sets editable variables, and image and command from the egg's choices. Throws INVALID_FIELDS, SERVER_LOCKED,
 * SERVER_SUSPENDED.
 */
export async function setStartup(
  { servers }: Pick<Stores, 'servers'>,
  server: GameServer,
  update: StartupUpdate,
): Promise<GameServer> {
  const changes = startupChanges(server, update);
  checkUnlocked(server);
  const updated = await servers.updates.update(server.id, changes);
  if (!updated) throw fail('SERVER_LOCKED', 'another operation of this server has started');
  return updated;
}
