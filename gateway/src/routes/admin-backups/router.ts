import { BackupServiceService } from '@panel/protos/servers';
import { selectPage } from '../../declaration/list-query.js';
import { downloadHeaders } from '../../declaration/response-headers.js';
import { admin, empty, list, raw, route, type Route } from '../../declaration/route.js';
import { downloadHeadersOf } from '../../http/download-headers.js';
import { downloadBackup } from '../backups/download.js';
import { retainedBackup, retainedBackupListQuery } from './resource.js';

const backups = '/api/v1/admin/backups';

export const adminBackupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: backups,
    summary: 'Backups that deleted servers have left, the last deleted first',
    access: admin(BackupServiceService.listRetainedBackups),
    rate: 'general',
    query: retainedBackupListQuery,
    response: list(retainedBackup.schema),
    handler: async ({ query, services, rpc }) => {
      const all = (await services.backups.listRetainedBackups({}, rpc)).backups.map(retainedBackup.present);
      const { server_id: wanted } = query;
      const chosen = wanted === undefined ? all : all.filter(({ server_id: serverId }) => serverId === wanted);
      return selectPage(chosen, query, ({ name, server_name: serverName }) => `${name} ${serverName}`);
    },
  }),
  route({
    method: 'GET',
    path: `${backups}/{backup-id}/download`,
    summary: 'Download a backup of a deleted server; ranges where it is stored as one archive',
    access: admin(BackupServiceService.grantRetainedBackup),
    rate: 'general',
    response: raw('application/gzip'),
    otherStatuses: [206, 304],
    refusals: [416],
    requestHeaders: ['If-None-Match', 'If-Range', 'Range'],
    headers: downloadHeaders,
    handler: async ({ params, services, rpc, rawExchange, signal }) => {
      const backupId = params.backup_id;
      const { filesAddress, grant } = await services.backups.grantRetainedBackup({ backupId }, rpc);
      const granted = { client: services.backupFiles(filesAddress), grant, backupId };
      return downloadBackup(granted, downloadHeadersOf(rawExchange.request), { ...rpc, signal });
    },
  }),
  route({
    method: 'DELETE',
    path: `${backups}/{backup-id}`,
    summary: 'Delete a backup of a deleted server',
    access: admin(BackupServiceService.deleteRetainedBackup),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.backups.deleteRetainedBackup({ backupId: params.backup_id }, rpc);
    },
  }),
];
