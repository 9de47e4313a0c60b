import type { DatabaseServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteDatabase } from '../../usecases/databases/delete-database.js';

export function handleDeleteDatabase(context: ServersContext): Handler<DatabaseServiceService['deleteDatabase']> {
  return async (request, call) => {
    await deleteDatabase(context, request, call);
    return {};
  };
}
