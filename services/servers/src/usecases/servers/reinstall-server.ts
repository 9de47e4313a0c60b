import { randomUUID } from 'node:crypto';
import { type Caller, isStaff } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { Egg } from '../../domain/eggs/egg.js';
import { checkUnlocked, isPowerLeased } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { EggChange } from '../../models/servers/server-updates.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';
import { snapshotOf } from './create-server.js';
import { loadServer } from './load-server.js';
import { viewServer, type VisibleServer } from './view-server.js';

/** What was asked for together with the reinstallation; empty or absent: what follows from the egg. */
interface Chosen {
  readonly dockerImage?: string | undefined;
  readonly startup?: string | undefined;
}

/** Start a reinstallation with the egg as it is now. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED. */
export async function reinstallServer(
  context: Pick<ServersContext, 'stores' | 'operations' | 'clock' | 'timezone'>,
  serverId: string,
  caller: Caller,
): Promise<VisibleServer> {
  const { stores, operations } = context;
  const { server } = await loadServer(context, serverId, caller);
  const started = await beginReinstall(stores, server, { eggId: server.eggId, skipScripts: false });
  operations.runNow();
  return viewServer(context, started, caller.actor, isStaff(caller));
}

/** Throws SERVER_LOCKED, SERVER_SUSPENDED when a reinstallation could not begin: for those who do something else before. */
export function checkReinstall(server: GameServer, now: Date): void {
  checkUnlocked(server);
  const { lease } = server.power;
  if (lease && isPowerLeased(server.power, now))
    throw fail('SERVER_LOCKED', 'a power action is in progress', { action: lease.action });
}

/**
 * Begin a reinstallation with the egg as it is now, or with another one. Throws SERVER_LOCKED, SERVER_SUSPENDED,
 * EGG_NOT_FOUND.
 */
export async function beginReinstall(
  { servers, eggs }: Pick<Stores, 'servers' | 'eggs'>,
  server: GameServer,
  options: { readonly eggId: string; readonly skipScripts: boolean; readonly chosen?: Chosen },
): Promise<GameServer> {
  checkUnlocked(server);
  const egg = await eggs.get(options.eggId);
  const isOther = options.eggId !== server.eggId;
  if (!egg && isOther) throw fail('EGG_NOT_FOUND', 'no such egg', { egg_id: options.eggId });
  const operation = {
    id: randomUUID(),
    kind: 'reinstalling' as const,
    step: 'waiting',
    options: { skipScripts: options.skipScripts },
  };
  const started = await servers.updates.beginReinstall(
    server.id,
    operation,
    egg && takeOver(server, egg, options.chosen ?? {}),
  );
  if (started) {
    // The deletion of an egg hides it before it looks for its servers: one of the two sees the other.
    if (egg && isOther && !(await eggs.get(egg.id))) await eggs.restore(egg);
    return started;
  }
  throw fail('SERVER_LOCKED', 'something else is in progress with this server');
}

/** What was the egg's choice follows the egg; what was chosen for this server stays while the egg still offers it. */
export function takeOver(server: GameServer, egg: Egg, asked: Chosen): EggChange {
  const isOther = egg.id !== server.eggId;
  const before = server.egg;
  const wasListed = before.dockerImages.some(({ image }) => image === server.dockerImage);
  const isListed = egg.spec.dockerImages.some(({ image }) => image === server.dockerImage);
  const keepsImage = isListed || (!isOther && !wasListed);
  // A command that was chosen by its label stays chosen, as the egg has it now.
  const chosen = before.startupCommands?.find(({ command }) => command === server.startup);
  const again = egg.spec.startupCommands.find(({ label }) => label === chosen?.label);
  const keepsStartup = !isOther && !chosen && server.startup !== before.startup;
  return {
    eggId: egg.id,
    egg: snapshotOf(egg),
    dockerImage:
      asked.dockerImage ?? (keepsImage ? server.dockerImage : (egg.spec.dockerImages[0]?.image ?? server.dockerImage)),
    startup: asked.startup || (keepsStartup ? server.startup : (again?.command ?? egg.spec.startup)),
  };
}
