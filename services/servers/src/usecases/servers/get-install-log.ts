import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { InstallLogLine } from '../../models/console/console.js';
import { loadServer } from './load-server.js';

/** For users who may install, and staff who may read. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function getInstallLog(
  context: Pick<ServersContext, 'stores'>,
  serverId: string,
  caller: Caller,
): Promise<readonly InstallLogLine[]> {
  await loadServer(context, serverId, caller);
  return (await context.stores.consoles.log(serverId))?.lines ?? [];
}
