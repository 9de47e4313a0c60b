import { type CallContext, serve, type ServedService } from '@panel/rpc';
import {
  AllocationServiceService,
  BackupServiceService,
  ConsoleServiceService,
  DatabaseHostServiceService,
  DatabaseServiceService,
  EggServiceService,
  NestServiceService,
  NodeServiceService,
  OwnershipServiceService,
  ScheduleServiceService,
  ServerServiceService,
  SubuserServiceService,
  UsageServiceService,
} from '@panel/protos/servers';
import type { ActivityEvent } from '../domain/activity.js';
import type { ServersContext } from '../context.js';
import { createBackup } from './backup/create-backup.js';
import { deleteBackup } from './backup/delete-backup.js';
import { deleteKeptBackup } from './backup/delete-kept-backup.js';
import { grantBackupDownload } from './backup/grant-backup-download.js';
import { grantKeptBackup } from './backup/grant-kept-backup.js';
import { listKeptBackups } from './backup/list-kept-backups.js';
import { restoreBackup } from './backup/restore-backup.js';
import { setBackupLock } from './backup/set-backup-lock.js';
import { addServerAllocation } from './server/add-server-allocation.js';
import { batchGetResources } from './console/batch-get-resources.js';
import { cancelTransfer } from './server/cancel-transfer.js';
import { countOwnedServers } from './ownership/count-owned-servers.js';
import { createAllocations } from './allocation/create-allocations.js';
import { createDatabase } from './database/create-database.js';
import { createDatabaseHost } from './database-host/create-database-host.js';
import { applyEgg } from './egg/apply-egg.js';
import { createEgg } from './egg/create-egg.js';
import { deleteEgg } from './egg/delete-egg.js';
import { createNest } from './nest/create-nest.js';
import { deleteNest } from './nest/delete-nest.js';
import { updateNest } from './nest/update-nest.js';
import { createNode } from './node/create-node.js';
import { createSchedule } from './schedule/create-schedule.js';
import { createServer } from './server/create-server.js';
import { deleteAllocation } from './allocation/delete-allocation.js';
import { deleteDatabase } from './database/delete-database.js';
import { deleteDatabaseHost } from './database-host/delete-database-host.js';
import { deleteNode } from './node/delete-node.js';
import { deleteSchedule } from './schedule/delete-schedule.js';
import { deleteServer } from './server/delete-server.js';
import { executeSchedule } from './schedule/execute-schedule.js';
import { exportDatabase } from './database/export-database.js';
import { exportEgg } from './egg/export-egg.js';
import { getDatabaseHost } from './database-host/get-database-host.js';
import { getDatabaseHostReport } from './database-host/get-database-host-report.js';
import { getEgg } from './egg/get-egg.js';
import { getInstallLog } from './server/get-install-log.js';
import { getNest } from './nest/get-nest.js';
import { getNode } from './node/get-node.js';
import { getNodeMetrics } from './node/get-node-metrics.js';
import { getMetrics } from './console/get-metrics.js';
import { getPowerOperation } from './console/get-power-operation.js';
import { getResources } from './console/get-resources.js';
import { getSchedule } from './schedule/get-schedule.js';
import { getServer } from './server/get-server.js';
import { getStartup } from './server/get-startup.js';
import { grantFileAccess } from './server/grant-file-access.js';
import { grantSftpAccess } from './server/grant-sftp-access.js';
import {
  serverEvent,
  allocationDeletedEvent,
  backupEvent,
  backupLockEvent,
  allocationsCreatedEvent,
  commandEvent,
  databaseCreatedEvent,
  databaseEvent,
  databaseHostDeletedEvent,
  databaseHostEvent,
  eggAppliedEvent,
  eggDeletedEvent,
  eggEvent,
  nestDeletedEvent,
  nestEvent,
  nodeDeletedEvent,
  nodeEvent,
  featureEvent,
  powerActionEvent,
  scheduleDeletedEvent,
  scheduleEvent,
  serverCreatedEvent,
  startupUpdatedEvent,
  subuserEvent,
  subuserRoleEvent,
  subuserDeletedEvent,
  subuserRoleDeletedEvent,
  transferStartedEvent,
} from '../present/activity-events.js';
import { importDatabase } from './database/import-database.js';
import { importEgg } from './egg/import-egg.js';
import { listAllocations } from './allocation/list-allocations.js';
import { listDatabaseHosts } from './database-host/list-database-hosts.js';
import { listDatabases } from './database/list-databases.js';
import { listEggs } from './egg/list-eggs.js';
import { listNests } from './nest/list-nests.js';
import { listHourlyUsage } from './usage/list-hourly-usage.js';
import { listNodes } from './node/list-nodes.js';
import { listSchedules } from './schedule/list-schedules.js';
import { listServerAllocations } from './server/list-server-allocations.js';
import { listServers } from './server/list-servers.js';
import { withActivity } from './with-activity.js';
import { reinstallServer } from './server/reinstall-server.js';
import { removeServerAllocation } from './server/remove-server-allocation.js';
import { renameServer } from './server/rename-server.js';
import { resolveFeature } from './server/resolve-feature.js';
import { rotateScheduleWebhook } from './schedule/rotate-schedule-webhook.js';
import { rotateDatabasePassword } from './database/rotate-database-password.js';
import { sendCommand } from './console/send-command.js';
import { sendPowerAction } from './console/send-power-action.js';
import { suspendServer } from './server/suspend-server.js';
import { createSubuser } from './subuser/create-subuser.js';
import { createSubuserRole } from './subuser/create-subuser-role.js';
import { deleteSubuser } from './subuser/delete-subuser.js';
import { deleteSubuserRole } from './subuser/delete-subuser-role.js';
import { leaveServer } from './subuser/leave-server.js';
import { listSubuserRoles } from './subuser/list-subuser-roles.js';
import { listSubusers } from './subuser/list-subusers.js';
import { updateSubuser } from './subuser/update-subuser.js';
import { updateSubuserRole } from './subuser/update-subuser-role.js';
import { removeUserFromServers } from './ownership/remove-user-from-servers.js';
import { transferServer } from './server/transfer-server.js';
import { triggerSchedule } from './schedule/trigger-schedule.js';
import { unsuspendServer } from './server/unsuspend-server.js';
import { updateDatabaseHost } from './database-host/update-database-host.js';
import { updateEgg } from './egg/update-egg.js';
import { updateNode } from './node/update-node.js';
import { updateServerAllocation } from './server/update-server-allocation.js';
import { updateSchedule } from './schedule/update-schedule.js';
import { updateServer } from './server/update-server.js';
import { updateStartup } from './server/update-startup.js';
import { listConsoleLines } from './console/list-console-lines.js';
import { watchServer } from './console/watch-server.js';

/** Everything this service answers. */
export function createHandlers(context: ServersContext): ServedService[] {
  const logged = <Request, Response>(
    work: (request: Request, call: CallContext) => Promise<Response>,
    describe: (request: Request, response: Response) => ActivityEvent | null,
  ) => withActivity(context.activity, work, describe);
  return [
    serve(NestServiceService, {
      listNests: listNests(context),
      getNest: getNest(context),
      createNest: logged(createNest(context), nestEvent('nest:create')),
      updateNest: logged(updateNest(context), nestEvent('nest:update')),
      deleteNest: logged(deleteNest(context), nestDeletedEvent),
    }),
    serve(EggServiceService, {
      listEggs: listEggs(context),
      getEgg: getEgg(context),
      createEgg: logged(createEgg(context), eggEvent('egg:create')),
      updateEgg: logged(updateEgg(context), eggEvent('egg:update')),
      importEgg: logged(importEgg(context), eggEvent('egg:import')),
      exportEgg: exportEgg(context),
      deleteEgg: logged(deleteEgg(context), eggDeletedEvent),
      applyEgg: logged(applyEgg(context), eggAppliedEvent),
    }),
    serve(NodeServiceService, {
      listNodes: listNodes(context),
      getNode: getNode(context),
      getNodeMetrics: getNodeMetrics(context),
      createNode: logged(createNode(context), nodeEvent('node:create')),
      updateNode: logged(updateNode(context), nodeEvent('node:update')),
      deleteNode: logged(deleteNode(context), nodeDeletedEvent),
    }),
    serve(AllocationServiceService, {
      listAllocations: listAllocations(context),
      createAllocations: logged(createAllocations(context), allocationsCreatedEvent),
      deleteAllocation: logged(deleteAllocation(context), allocationDeletedEvent),
    }),
    serve(ServerServiceService, {
      listServers: listServers(context),
      getServer: getServer(context),
      createServer: logged(createServer(context), serverCreatedEvent),
      grantFileAccess: grantFileAccess(context),
      grantSftpAccess: grantSftpAccess(context),
      updateServer: logged(updateServer(context), serverEvent('server:update')),
      deleteServer: logged(deleteServer(context), serverEvent('server:delete')),
      suspendServer: logged(suspendServer(context), serverEvent('server:suspend')),
      unsuspendServer: logged(unsuspendServer(context), serverEvent('server:unsuspend')),
      reinstallServer: logged(reinstallServer(context), serverEvent('server:reinstall')),
      transferServer: logged(transferServer(context), transferStartedEvent),
      cancelTransfer: logged(cancelTransfer(context), serverEvent('server:transfer.cancel')),
      renameServer: logged(renameServer(context), serverEvent('server:settings.rename')),
      getStartup: getStartup(context),
      updateStartup: logged(updateStartup(context), startupUpdatedEvent),
      resolveFeature: logged(resolveFeature(context), featureEvent),
      listServerAllocations: listServerAllocations(context),
      addServerAllocation: logged(addServerAllocation(context), serverEvent('server:allocation.create')),
      updateServerAllocation: logged(updateServerAllocation(context), serverEvent('server:allocation.update')),
      removeServerAllocation: logged(removeServerAllocation(context), serverEvent('server:allocation.delete')),
      getInstallLog: getInstallLog(context),
    }),
    serve(ConsoleServiceService, {
      sendPowerAction: logged(sendPowerAction(context), powerActionEvent),
      sendCommand: logged(sendCommand(context), commandEvent),
      getMetrics: getMetrics(context),
      getPowerOperation: getPowerOperation(context),
      getResources: getResources(context),
      batchGetResources: batchGetResources(context),
      listConsoleLines: listConsoleLines(context),
      watchServer: watchServer(context),
    }),
    serve(BackupServiceService, {
      createBackup: createBackup(context),
      restoreBackup: logged(restoreBackup(context), backupEvent('server:backup.restore')),
      deleteBackup: logged(deleteBackup(context), backupEvent('server:backup.delete')),
      setBackupLock: logged(setBackupLock(context), backupLockEvent),
      listKeptBackups: listKeptBackups(context),
      deleteKeptBackup: deleteKeptBackup(context),
      grantKeptBackup: grantKeptBackup(context),
      grantBackupDownload: logged(grantBackupDownload(context), backupEvent('server:backup.download')),
    }),
    serve(ScheduleServiceService, {
      listSchedules: listSchedules(context),
      getSchedule: getSchedule(context),
      createSchedule: logged(createSchedule(context), scheduleEvent('server:schedule.create')),
      updateSchedule: logged(updateSchedule(context), scheduleEvent('server:schedule.update')),
      deleteSchedule: logged(deleteSchedule(context), scheduleDeletedEvent),
      executeSchedule: logged(executeSchedule(context), scheduleEvent('server:schedule.execute')),
      rotateScheduleWebhook: logged(rotateScheduleWebhook(context), scheduleEvent('server:schedule.webhook-rotate')),
      triggerSchedule: triggerSchedule(context),
    }),
    serve(SubuserServiceService, {
      listSubusers: listSubusers(context),
      createSubuser: logged(createSubuser(context), subuserEvent('server:subuser.create')),
      updateSubuser: logged(updateSubuser(context), subuserEvent('server:subuser.update')),
      deleteSubuser: logged(deleteSubuser(context), subuserDeletedEvent),
      leaveServer: logged(leaveServer(context), serverEvent('server:subuser.leave')),
      listSubuserRoles: listSubuserRoles(context),
      createSubuserRole: logged(createSubuserRole(context), subuserRoleEvent('server:subuser-role.create')),
      updateSubuserRole: logged(updateSubuserRole(context), subuserRoleEvent('server:subuser-role.update')),
      deleteSubuserRole: logged(deleteSubuserRole(context), subuserRoleDeletedEvent),
    }),
    serve(OwnershipServiceService, {
      countOwnedServers: countOwnedServers(context),
      removeUserFromServers: removeUserFromServers(context),
    }),
    serve(DatabaseServiceService, {
      listDatabases: listDatabases(context),
      createDatabase: logged(createDatabase(context), databaseCreatedEvent),
      deleteDatabase: logged(deleteDatabase(context), databaseEvent('server:database.delete')),
      rotateDatabasePassword: logged(rotateDatabasePassword(context), databaseEvent('server:database.rotate-password')),
      exportDatabase: exportDatabase(context),
      importDatabase: importDatabase(context),
    }),
    serve(DatabaseHostServiceService, {
      listDatabaseHosts: listDatabaseHosts(context),
      getDatabaseHost: getDatabaseHost(context),
      createDatabaseHost: logged(createDatabaseHost(context), databaseHostEvent('database-host:create')),
      updateDatabaseHost: logged(updateDatabaseHost(context), databaseHostEvent('database-host:update')),
      deleteDatabaseHost: logged(deleteDatabaseHost(context), databaseHostDeletedEvent),
      getDatabaseHostReport: getDatabaseHostReport(context),
    }),
    serve(UsageServiceService, { listHourlyUsage: listHourlyUsage(context) }),
  ];
}
