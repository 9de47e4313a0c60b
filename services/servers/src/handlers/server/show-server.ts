import type { Actor } from '@panel/rpc';
import type { Server as ServerMessage } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import type { ServerView } from '../../domain/servers/server.js';
import { presentServer } from '../../present/server.js';
import { viewServers } from '../../usecases/servers/server-view.js';

/** Messages for servers as an actor sees them. */
export async function showServers(
  context: ServersContext,
  servers: readonly ServerView[],
  actor: Actor,
  asStaff: boolean,
  withoutCommands = false,
): Promise<ServerMessage[]> {
  const visible = await viewServers(context, servers, actor, asStaff);
  return visible.map(({ server, ...surroundings }) =>
    presentServer(server, { ...surroundings, timezone: context.timezone, withoutCommands }),
  );
}

export async function showServer(
  context: ServersContext,
  server: ServerView,
  actor: Actor,
  asStaff: boolean,
): Promise<ServerMessage> {
  const [message] = await showServers(context, [server], actor, asStaff);
  if (!message) throw serverNotFound();
  return message;
}
