import type { DatabaseServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentDatabase } from '../../present/database.js';
import { createDatabase } from '../../usecases/databases/create-database.js';
import { readEngineKind } from '../read-request.js';

export function handleCreateDatabase(context: ServersContext): Handler<DatabaseServiceService['createDatabase']> {
  return async ({ serverId, name, remote, engine }, call) => {
    const fields = { name, remote: remote === '' ? '%' : remote, engine: readEngineKind(engine) };
    const created = await createDatabase(context, serverId, fields, call);
    return { database: presentDatabase(created), password: created.password };
  };
}
