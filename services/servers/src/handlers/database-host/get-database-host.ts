import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentHost } from '../../present/database.js';
import { loadHost } from '../../usecases/database-hosts/load-host.js';

export function getDatabaseHost({ stores }: ServersContext): Handler<DatabaseHostServiceService['getDatabaseHost']> {
  return async ({ hostId }) => ({ host: presentHost(await loadHost(stores, hostId)) });
}
