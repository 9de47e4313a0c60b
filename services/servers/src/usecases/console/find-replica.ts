import type { Connection } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { nodeOf } from '../servers/load-server.js';

/** The watcher of the server's node; null: this replica, which takes a free node. Throws NODE_NOT_WATCHED. */
export async function findReplica(
  context: Pick<ServersContext, 'stores' | 'nodeLeases' | 'replica'>,
  server: GameServer,
): Promise<Connection | null> {
  const leases = context.nodeLeases();
  if (!leases) throw fail('NODE_NOT_WATCHED', 'this process is starting');
  if (leases.owns(server.nodeId)) return null;
  const holder = await context.stores.leases.holder(server.nodeId);
  if (holder && !leases.isOwnAddress(holder.address)) return context.replica(holder.address);
  if (await leases.take(await nodeOf(context, server))) return null;
  throw fail('NODE_NOT_WATCHED', 'the node of this server is being taken over by another replica');
}
