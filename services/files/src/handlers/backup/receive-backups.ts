import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireServerId } from '../../domain/server-id.js';
import { requireAddress } from '../../domain/transfer.js';
import { receiveBackups as receive } from '../../usecases/backups/receive-backups.js';

/** Get the backups of a server that lie on the disk of another node. */
export function receiveBackups({ backups }: FilesContext): Handler<BackupServiceService['receiveBackups']> {
  return async function* (request, { signal }) {
    const serverId = requireServerId(request.serverId);
    const sourceAddress = requireAddress(request.sourceAddress);
    yield* receive(backups, { serverId, sourceAddress, grant: request.grant }, signal);
  };
}
