import type { DatabaseServiceService, ExportDatabaseResponse } from '@panel/protos/servers';
import { type Handler, messageChunks } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { databaseEvent } from '../../present/activity-events.js';
import { presentDatabase } from '../../present/database.js';
import { hostOf, loadDatabase } from '../../database-engines/load-database.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function exportDatabase(context: ServersContext): Handler<DatabaseServiceService['exportDatabase']> {
  return async function* handle({ serverId, databaseId }, call): AsyncGenerator<ExportDatabaseResponse> {
    const { server } = await loadServer(context, serverId, call);
    checkUnlocked(server);
    const database = await loadDatabase(context.stores, server, databaseId);
    const host = await hostOf(context.stores, database);
    context.activity.record(databaseEvent('server:database.export')({ serverId, databaseId }), call.actor);
    let isFirst = true;
    for await (const chunk of context.databaseDumps.export(database, call.signal)) {
      // After the first bytes: a dump that fails at once is an error and not an empty file.
      if (isFirst) yield { part: { $case: 'database', value: presentDatabase(database, host) } };
      isFirst = false;
      for (const value of messageChunks(chunk)) yield { part: { $case: 'chunk', value } };
    }
  };
}
