import type { Actor } from '@panel/rpc';
import type { StartBackup } from '../../scheduling/dependencies.js';
import { startBackup } from './create-backup.js';

/** As the author; at the limit it replaces the oldest unlocked backup, as no user is there to delete one. */
export function createStartBackup(context: Parameters<typeof startBackup>[0]): StartBackup {
  return async ({ server, name, ignoredFiles, requestedBy: userId }) => {
    const requestedBy: Actor = {
      kind: 'user',
      userId,
      permissions: [],
      method: 'session',
      credentialId: '',
      ip: '',
    };
    await startBackup(context, { serverId: server.id, name, ignoredFiles, requestedBy, isRotating: true });
  };
}
