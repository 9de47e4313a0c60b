import { abortableIterable } from '@panel/kit/async';
import type { DatabaseServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentDatabase } from '../../present/database.js';
import { importDatabase } from '../../usecases/databases/dump-database.js';
import { readImportBytes, readImportStart } from './read-request.js';

export function handleImportDatabase(context: ServersContext): Handler<DatabaseServiceService['importDatabase']> {
  return async (request, call) => {
    const messages = abortableIterable(request, call.signal);
    try {
      const ids = readImportStart((await messages.next()).value);
      const imported = await importDatabase(context, ids, readImportBytes(messages), call);
      return { database: presentDatabase(imported), importedBytes: imported.importedBytes };
    } finally {
      await messages.return(undefined);
    }
  };
}
