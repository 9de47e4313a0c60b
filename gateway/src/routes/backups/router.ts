import { BackupServiceService as BackupFilesService } from '@panel/protos/files';
import { BackupServiceService, CreateBackupRequest } from '@panel/protos/servers';
import { grantPermission } from '../../declaration/access.js';
import { selectPage } from '../../declaration/list-query.js';
import { downloadHeaders } from '../../declaration/response-headers.js';
import { empty, json, list, one, raw, route, type Route, server } from '../../declaration/route.js';
import { readRecords } from '../files/node-files.js';
import { downloadHeadersOf } from '../../http/download-headers.js';
import { downloadBackup } from './download.js';
import {
  backup,
  backupFile,
  backupFilesExtraMeta,
  backupFilesQuery,
  backupListQuery,
  creation,
  lockBackupBody,
  restoreBackupBody,
  restoredBackup,
  serverBackup,
} from './resource.js';

const backups = '/api/v1/servers/{id}/backups';
const oneBackup = `${backups}/{backup-id}` as const;
/** Large archives are read from the start. */
const listFilesTimeoutMs = 9_500;

const readRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: backups,
    summary: 'Backups of the server, newest first',
    access: server(BackupFilesService.listBackups),
    rate: 'general',
    query: backupListQuery,
    response: list(backup.schema),
    handler: async ({ params, query, services, rpc }) => {
      const { backups: found } = await readRecords(
        services,
        params.id,
        BackupFilesService.listBackups,
        rpc,
        async (files, grant, options) => services.backupFiles(files).listBackups({ grant }, options),
      );
      const all = found.map(backup.present);
      const wanted = query.status === undefined ? all : all.filter(({ status }) => status === query.status);
      return selectPage(wanted, query, ({ name }) => name);
    },
  }),
  route({
    method: 'GET',
    path: oneBackup,
    summary: 'One backup',
    access: server(BackupFilesService.getBackup),
    rate: 'general',
    response: one(backup.schema),
    handler: async ({ params, services, rpc }) => {
      const backupId = params.backup_id;
      const answer = await readRecords(
        services,
        params.id,
        BackupFilesService.getBackup,
        rpc,
        async (files, grant, options) => services.backupFiles(files).getBackup({ grant, backupId }, options),
      );
      return backup.present(answer.backup);
    },
  }),
  route({
    method: 'GET',
    path: `${oneBackup}/download`,
    summary: 'Download a backup as a gzipped tar; ranges where it is stored as one',
    access: server(BackupServiceService.grantBackupDownload),
    rate: 'general',
    response: raw('application/gzip'),
    otherStatuses: [206, 304],
    refusals: [416],
    requestHeaders: ['If-None-Match', 'If-Range', 'Range'],
    headers: downloadHeaders,
    handler: async ({ params, services, rpc, rawExchange, signal }) => {
      const { id: serverId, backup_id: backupId } = params;
      const { filesAddress, grant } = await services.backups.grantBackupDownload({ serverId, backupId }, rpc);
      const granted = { client: services.backupFiles(filesAddress), grant, backupId };
      return downloadBackup(granted, downloadHeadersOf(rawExchange.request), { ...rpc, signal });
    },
  }),
  route({
    method: 'GET',
    path: `${oneBackup}/files`,
    summary: 'What is in a directory of a backup, directories first',
    access: server(BackupFilesService.listBackupFiles),
    rate: 'general',
    query: backupFilesQuery,
    response: list(backupFile.schema, backupFilesExtraMeta),
    handler: async ({ params, query, services, rpc }) => {
      const request = { backupId: params.backup_id, path: query.path };
      const permission = grantPermission(BackupFilesService.listBackupFiles);
      const access = { serverId: params.id, permission, backupId: params.backup_id };
      const { filesAddress, grant } = await services.servers.grantFileAccess(access, rpc);
      const { files, truncated } = await services
        .backupFiles(filesAddress)
        .listBackupFiles({ ...request, grant }, { ...rpc, timeoutMs: listFilesTimeoutMs });
      return { ...selectPage(files.map(backupFile.present), query, ({ name }) => name), extraMeta: { truncated } };
    },
  }),
];

const writeRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: backups,
    summary: 'Begin a backup; it is pending at first',
    access: server(BackupServiceService.createBackup),
    rate: 'backup',
    body: json(creation.createBody),
    response: one(backup.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const request = creation.read(CreateBackupRequest, body, { serverId: params.id });
      return serverBackup.present((await services.backups.createBackup(request, rpc)).backup);
    },
  }),
  route({
    method: 'POST',
    path: `${oneBackup}/restore`,
    summary: 'Put a backup back, all of it or some paths; the server has to be offline',
    access: server(BackupServiceService.restoreBackup),
    rate: 'general',
    body: json(restoreBackupBody),
    response: one(restoredBackup),
    handler: async ({ params, body, services, rpc }) => {
      const request = { serverId: params.id, backupId: params.backup_id, ...body };
      return { operation_id: (await services.backups.restoreBackup(request, rpc)).operationId };
    },
  }),
  route({
    method: 'DELETE',
    path: oneBackup,
    summary: 'Delete a backup; a pending one is aborted',
    access: server(BackupServiceService.deleteBackup),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.backups.deleteBackup({ serverId: params.id, backupId: params.backup_id }, rpc);
    },
  }),
  route({
    method: 'POST',
    path: `${oneBackup}/lock`,
    summary: 'Lock or unlock a backup',
    access: server(BackupServiceService.setBackupLock),
    rate: 'general',
    body: json(lockBackupBody),
    response: one(backup.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = { serverId: params.id, backupId: params.backup_id, isLocked: body.is_locked };
      return serverBackup.present((await services.backups.setBackupLock(request, rpc)).backup);
    },
  }),
];

export const backupRoutes: readonly Route[] = [...readRoutes, ...writeRoutes];
