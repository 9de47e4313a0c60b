import type { Subuser as SubuserMessage } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { Subuser } from '../../domain/subusers/subuser.js';
import { presentSubuser } from '../../present/subuser.js';

/** Messages for subusers, with the names that identity has for them. */
export async function showSubusers(
  { users }: Pick<ServersContext, 'users'>,
  server: GameServer,
  subusers: readonly Subuser[],
): Promise<SubuserMessage[]> {
  const known = await users.byIds(subusers.flatMap(({ userId }) => userId ?? []));
  return subusers.map((subuser) => presentSubuser(server, subuser, known.get(subuser.userId ?? '')));
}

export async function showSubuser(
  context: Pick<ServersContext, 'users'>,
  server: GameServer,
  subuser: Subuser,
): Promise<SubuserMessage | undefined> {
  return (await showSubusers(context, server, [subuser]))[0];
}
