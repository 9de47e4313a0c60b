import { withActivity } from '@panel/activity';
import { DatabaseHostServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { databaseHostDeletedEvent, databaseHostEvent } from '../../present/activity-events.js';
import { handleCreateDatabaseHost } from './create-database-host.js';
import { handleDeleteDatabaseHost } from './delete-database-host.js';
import { handleGetDatabaseHost } from './get-database-host.js';
import { handleGetDatabaseHostReport } from './get-database-host-report.js';
import { handleListDatabaseHosts } from './list-database-hosts.js';
import { handleUpdateDatabaseHost } from './update-database-host.js';

export function serveDatabaseHosts(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(DatabaseHostServiceService, {
    createDatabaseHost: withActivity(
      activity,
      handleCreateDatabaseHost(context),
      databaseHostEvent('database-host:create'),
    ),
    deleteDatabaseHost: withActivity(activity, handleDeleteDatabaseHost(context), databaseHostDeletedEvent),
    getDatabaseHost: handleGetDatabaseHost(context),
    getDatabaseHostReport: handleGetDatabaseHostReport(context),
    listDatabaseHosts: handleListDatabaseHosts(context),
    updateDatabaseHost: withActivity(
      activity,
      handleUpdateDatabaseHost(context),
      databaseHostEvent('database-host:update'),
    ),
  });
}
