import type { DatabaseServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { allows } from '../../domain/servers/access.js';
import { presentDatabase, readEngineKind } from '../../present/database.js';
import { createDatabase as create } from '../../usecases/databases/create-database.js';
import { hostOf } from '../../database-engines/load-database.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function createDatabase(context: ServersContext): Handler<DatabaseServiceService['createDatabase']> {
  return async ({ serverId, name, remote, engine }, call) => {
    const { server, access } = await loadServer(context, serverId, call);
    const fields = { name, remote: remote === '' ? '%' : remote, engine: readEngineKind(engine) };
    const database = await create(context, server, fields, call.idempotencyId);
    const password = allows(access, 'database.view_password') ? (database.password ?? '') : '';
    return { database: presentDatabase(database, await hostOf(context.stores, database)), password };
  };
}
