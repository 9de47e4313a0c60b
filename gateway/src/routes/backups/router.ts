import { notImplemented, type Route, reservedFor } from '../../declaration/route.js';

const backups = '/api/v1/servers/{id}/backups';
const backup = `${backups}/{backup-id}`;

export const backupRoutes: readonly Route[] = [
  notImplemented('GET', backups, 'Backups of the server', reservedFor('backup.read')),
  notImplemented('POST', backups, 'Begin a backup', reservedFor('backup.create'), 'backup'),
  notImplemented('GET', `${backup}/download`, 'Download a backup', reservedFor('backup.download')),
  notImplemented('POST', `${backup}/restore`, 'Put a backup back', reservedFor('backup.restore')),
  notImplemented('DELETE', backup, 'Delete a backup', reservedFor('backup.delete')),
  notImplemented('POST', `${backup}/lock`, 'Lock or unlock a backup', reservedFor('backup.delete')),
];
