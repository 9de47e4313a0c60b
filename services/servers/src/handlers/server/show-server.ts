import type { Actor } from '@panel/rpc';
import type { Server as ServerMessage } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { ServerView } from '../../domain/servers/server.js';
import { presentServer } from '../../present/server.js';
import { viewServer } from '../../usecases/servers/server-view.js';

/** The message for a server as an actor sees it. Throws SERVER_NOT_FOUND. */
export async function showServer(
  context: ServersContext,
  server: ServerView,
  actor: Actor,
  asStaff: boolean,
): Promise<ServerMessage> {
  const visible = await viewServer(context, server, actor, asStaff);
  return presentServer(visible.server, { ...visible, timezone: context.timezone });
}
