import type { DatabaseServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentDatabase } from '../../present/database.js';
import { rotateDatabasePassword } from '../../usecases/databases/rotate-database-password.js';

export function handleRotateDatabasePassword(
  context: ServersContext,
): Handler<DatabaseServiceService['rotateDatabasePassword']> {
  return async (request, call) => {
    const rotated = await rotateDatabasePassword(context, request, call);
    return { database: presentDatabase(rotated), password: rotated.password };
  };
}
