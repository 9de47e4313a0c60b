import { planned, type Route, server } from '../route.js';

const backups = '/api/v1/servers/{id}/backups';
const backup = `${backups}/{backup-id}`;

export const backupRoutes: readonly Route[] = [
  planned('GET', backups, 'Backups of the server', server('backup.read')),
  planned('POST', backups, 'Begin a backup', server('backup.create'), 'backup'),
  planned('GET', `${backup}/download`, 'Download a backup', server('backup.download')),
  planned('POST', `${backup}/restore`, 'Put a backup back', server('backup.restore')),
  planned('DELETE', backup, 'Delete a backup', server('backup.delete')),
  planned('POST', `${backup}/lock`, 'Lock or unlock a backup', server('backup.delete')),
];
