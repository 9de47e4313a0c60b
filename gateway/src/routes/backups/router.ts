import { notImplemented, type Route, server } from '../../declaration/route.js';

const backups = '/api/v1/servers/{id}/backups';
const backup = `${backups}/{backup-id}`;

export const backupRoutes: readonly Route[] = [
  notImplemented('GET', backups, 'Backups of the server', server('backup.read')),
  notImplemented('POST', backups, 'Begin a backup', server('backup.create'), 'backup'),
  notImplemented('GET', `${backup}/download`, 'Download a backup', server('backup.download')),
  notImplemented('POST', `${backup}/restore`, 'Put a backup back', server('backup.restore')),
  notImplemented('DELETE', backup, 'Delete a backup', server('backup.delete')),
  notImplemented('POST', `${backup}/lock`, 'Lock or unlock a backup', server('backup.delete')),
];
