import type { DatabaseServiceService, ExportDatabaseResponse } from '@panel/protos/servers';
import { type Handler, messageChunks } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentDatabase } from '../../present/database.js';
import { exportDatabase } from '../../usecases/databases/dump-database.js';

export function handleExportDatabase(context: ServersContext): Handler<DatabaseServiceService['exportDatabase']> {
  return async function* handle(request, call): AsyncGenerator<ExportDatabaseResponse> {
    const { dump, ...exported } = await exportDatabase(context, request, call);
    let isFirst = true;
    for await (const chunk of dump) {
      // An immediate failure is an error, not an empty file.
      if (isFirst) yield { part: { $case: 'database', value: presentDatabase(exported) } };
      isFirst = false;
      for (const value of messageChunks(chunk)) yield { part: { $case: 'chunk', value } };
    }
  };
}
