import { randomUUID } from 'node:crypto';
import { type Caller, isStaff } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import { type Chosen, takeOverEgg } from '../../domain/servers/take-over-egg.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';
import { loadServer } from './load-server.js';
import { viewServer, type VisibleServer } from './view-server.js';

/** With the current egg. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED. */
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

/** With the current egg or another. Throws SERVER_LOCKED, SERVER_SUSPENDED, EGG_NOT_FOUND. */
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
    egg && takeOverEgg(server, egg, options.chosen ?? {}),
  );
  if (started) {
    // An egg's deletion hides it before it searches for servers: one of the two sees the other.
    if (egg && isOther && !(await eggs.get(egg.id))) await eggs.restore(egg);
    return started;
  }
  throw fail('SERVER_LOCKED', 'something else is in progress with this server');
}
