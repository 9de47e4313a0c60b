import { withActivity } from '@panel/activity';
import { DatabaseServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { databaseCreatedEvent, databaseEvent } from '../../present/activity-events.js';
import { handleCreateDatabase } from './create-database.js';
import { handleDeleteDatabase } from './delete-database.js';
import { handleExportDatabase } from './export-database.js';
import { handleImportDatabase } from './import-database.js';
import { handleListDatabases } from './list-databases.js';
import { handleRotateDatabasePassword } from './rotate-database-password.js';

export function serveDatabases(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(DatabaseServiceService, {
    createDatabase: withActivity(activity, handleCreateDatabase(context), databaseCreatedEvent),
    deleteDatabase: withActivity(activity, handleDeleteDatabase(context), databaseEvent('server:database.delete')),
    exportDatabase: handleExportDatabase(context),
    importDatabase: handleImportDatabase(context),
    listDatabases: handleListDatabases(context),
    rotateDatabasePassword: withActivity(
      activity,
      handleRotateDatabasePassword(context),
      databaseEvent('server:database.rotate-password'),
    ),
  });
}
