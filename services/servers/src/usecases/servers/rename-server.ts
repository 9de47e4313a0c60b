import { invalidFields } from '@panel/kit/errors';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { ServerFields } from '../../domain/servers/check-server.js';
import { fail } from '../../reasons.js';
import { loadServer } from './load-server.js';
import { viewServer, type VisibleServer } from './view-server.js';

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, INVALID_FIELDS, SERVER_LOCKED, SERVER_SUSPENDED. */
export async function renameServer(
  context: Pick<ServersContext, 'stores' | 'clock' | 'timezone'>,
  serverId: string,
  { name, description }: { readonly name: string | undefined; readonly description: string | undefined },
  caller: Caller,
): Promise<VisibleServer> {
  const { server } = await loadServer(context, serverId, caller);
  const checked = new ServerFields();
  if (name !== undefined) checked.name(name);
  if (description !== undefined) checked.description(description);
  if (!checked.isEmpty) throw invalidFields(checked.fields);
  checkUnlocked(server);
  const renamed = await context.stores.servers.updates.update(server.id, { name: name?.trim(), description });
  if (!renamed) throw fail('SERVER_LOCKED', 'another operation of this server has started');
  return viewServer(context, renamed, caller.actor, false);
}
