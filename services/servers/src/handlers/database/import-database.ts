import { abortableIterable } from '@panel/kit/async';
import { invalidFields } from '@panel/kit/errors';
import type { DatabaseServiceService, ImportDatabaseRequest, ImportDatabaseStart } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { requireAccess } from '../../domain/servers/access.js';
import { databaseEvent } from '../../present/activity-events.js';
import { presentDatabase } from '../../present/database.js';
import { fail } from '../../reasons.js';
import { hostOf, loadDatabase } from '../../database-engines/load-database.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function importDatabase(context: ServersContext): Handler<DatabaseServiceService['importDatabase']> {
  return async (request, call) => {
    const messages = abortableIterable(request, call.signal);
    try {
      const start = requireStart((await messages.next()).value);
      const { server } = await loadServer(context, start.serverId, call);
      // What a statement says when it fails shows what the database has.
      requireAccess(server, call, 'database.view_password');
      checkUnlocked(server);
      const database = await loadDatabase(context.stores, server, start.databaseId);
      context.activity.record(databaseEvent('server:database.import')(start), call.actor);
      const importedBytes = await context.databaseDumps.import(database, bytesOf(messages), call.signal);
      const host = await hostOf(context.stores, database);
      return { database: presentDatabase(database, host), importedBytes };
    } finally {
      await messages.return(undefined);
    }
  };
}

function requireStart(request: ImportDatabaseRequest | undefined): ImportDatabaseStart {
  if (request?.part?.$case === 'start') return request.part.value;
  throw invalidFields({ part: ['must be the start in the first message'] });
}

/** Throws where the end of the dump is missing: a sender that dies also ends its stream. */
async function* bytesOf(messages: AsyncIterable<ImportDatabaseRequest>): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const { part } of messages) {
    if (part?.$case === 'chunk') {
      sizeBytes += part.value.length;
      yield part.value;
    } else if (part?.$case === 'finish' && part.value.sizeBytes === sizeBytes) return;
    else throw invalidFields({ part: ['must be chunks, and then the finish, after the start'] });
  }
  throw fail('DATABASE_DUMP_FAILED', 'the upload of the dump ended early', { output: 'the upload ended early' });
}
