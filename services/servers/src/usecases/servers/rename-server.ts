import { invalidFields } from '@panel/kit/errors';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { ServerFields } from '../../domain/servers/check-server.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

/** Throws INVALID_FIELDS, SERVER_LOCKED, SERVER_SUSPENDED. */
export async function renameServer(
  { servers }: Pick<Stores, 'servers'>,
  server: GameServer,
  { name, description }: { readonly name: string | undefined; readonly description: string | undefined },
): Promise<GameServer> {
  const checked = new ServerFields();
  if (name !== undefined) checked.name(name);
  if (description !== undefined) checked.description(description);
  if (!checked.isEmpty) throw invalidFields(checked.fields);
  checkUnlocked(server);
  const renamed = await servers.updates.update(server.id, { name: name?.trim(), description });
  if (!renamed) throw fail('SERVER_LOCKED', 'another operation of this server has started');
  return renamed;
}
