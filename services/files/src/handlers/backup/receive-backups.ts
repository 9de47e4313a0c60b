import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { receiveBackups } from '../../usecases/backups/receive-backups.js';
import { readAddress, readId, readServerId } from '../read-ids.js';

export function handleReceiveBackups(
  backups: FilesContext['backups'],
): Handler<BackupServiceService['receiveBackups']> {
  return async function* (request, { signal }) {
    const serverId = readServerId(request.serverId);
    const backupId = request.backupId === '' ? null : readId(request.backupId, 'backup_id');
    const sourceAddress = readAddress(request.sourceAddress);
    yield* receiveBackups(backups, { serverId, sourceAddress, grant: request.grant, backupId }, signal);
  };
}
