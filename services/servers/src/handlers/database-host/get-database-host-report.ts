import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { loadHost } from '../../usecases/database-hosts/load-host.js';
import { reconcileHost } from '../../database-engines/reconcile-hosts.js';

export function getDatabaseHostReport(
  context: ServersContext,
): Handler<DatabaseHostServiceService['getDatabaseHostReport']> {
  return async ({ hostId, fresh }) => {
    const host = await loadHost(context.stores, hostId);
    const report = fresh ? await reconcileHost(context, host) : host.report;
    return {
      orphanDatabases: [...report.orphanDatabases],
      orphanUsers: [...report.orphanUsers],
      missingDatabases: [...report.missingDatabases],
      checkTime: report.checkedAt ?? undefined,
      error: report.error ?? '',
    };
  };
}
