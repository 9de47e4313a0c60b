import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { builtInRoles, findRole, type SubuserRole } from '../../domain/subusers/roles.js';
import type { Subuser } from '../../domain/subusers/subuser.js';
import type { KnownUser } from '../../users/user-directory.js';
import { loadServer } from '../servers/load-server.js';

export interface VisibleSubuser extends Subuser {
  readonly role: SubuserRole | undefined;
  /** Absent: an invitation, or a user under deletion. */
  readonly user: KnownUser | undefined;
}

/** Includes invitations. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function listSubusers(
  context: Pick<ServersContext, 'stores' | 'users'>,
  serverId: string,
  caller: Caller,
): Promise<VisibleSubuser[]> {
  const { server } = await loadServer(context, serverId, caller);
  const { subusers } = server;
  const known = await context.users.byIds(subusers.flatMap(({ userId }) => userId ?? []));
  return subusers.map((subuser) => withUser(server, subuser, known));
}

/** Built-in roles first. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function listSubuserRoles(
  context: Pick<ServersContext, 'stores'>,
  serverId: string,
  caller: Caller,
): Promise<SubuserRole[]> {
  const { server } = await loadServer(context, serverId, caller);
  return [...builtInRoles, ...server.subuserRoles];
}

export async function visibleSubuser(
  { users }: Pick<ServersContext, 'users'>,
  server: GameServer,
  subuser: Subuser,
): Promise<VisibleSubuser> {
  const { userId } = subuser;
  return withUser(server, subuser, await users.byIds(userId === null ? [] : [userId]));
}

function withUser(
  { subuserRoles }: GameServer,
  subuser: Subuser,
  known: ReadonlyMap<string, KnownUser>,
): VisibleSubuser {
  const role = subuser.roleId === null ? undefined : findRole(subuserRoles, subuser.roleId);
  return { ...subuser, role, user: known.get(subuser.userId ?? '') };
}
