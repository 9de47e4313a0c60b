import type { Subuser as SubuserMessage } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { Subuser } from '../../domain/subusers/subuser.js';
import type { KnownUser } from '../../users/user-directory.js';
import { presentSubuser } from '../../present/subuser.js';

/** The users among some subusers, as identity knows them. */
export async function knownUsers(
  { users }: Pick<ServersContext, 'users'>,
  subusers: readonly Subuser[],
): Promise<Map<string, KnownUser>> {
  return users.byIds(subusers.flatMap(({ userId }) => userId ?? []));
}

export async function showSubuser(
  context: Pick<ServersContext, 'users'>,
  server: GameServer,
  subuser: Subuser,
): Promise<SubuserMessage> {
  const known = await knownUsers(context, [subuser]);
  return presentSubuser(server, subuser, known.get(subuser.userId ?? ''));
}
