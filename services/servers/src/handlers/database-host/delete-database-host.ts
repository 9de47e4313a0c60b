import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteHost } from '../../usecases/database-hosts/delete-host.js';

export function deleteDatabaseHost({
  stores,
}: ServersContext): Handler<DatabaseHostServiceService['deleteDatabaseHost']> {
  return async ({ hostId }) => {
    await deleteHost(stores, hostId);
    return {};
  };
}
