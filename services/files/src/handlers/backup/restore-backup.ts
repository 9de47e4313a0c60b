import { invalidFields } from '@panel/kit/errors';
import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireBackupId } from '../../domain/backup-id.js';
import { requireServerId } from '../../domain/server-id.js';
import { restoreBackup as restore } from '../../usecases/backups/restore-backup.js';
import { watchRun } from '../../usecases/backups/shared-runs.js';

const maxPaths = 100;

/** Put a backup back. The run goes on when this call ends. */
export function restoreBackup({ backups }: FilesContext): Handler<BackupServiceService['restoreBackup']> {
  return async function* ({ truncate, ...request }, { signal }) {
    const serverId = requireServerId(request.serverId);
    const operationId = requireBackupId(request.operationId, 'operation_id');
    if (request.paths.length > maxPaths) throw invalidFields({ paths: [`must be at most ${maxPaths}`] });
    if (truncate && request.paths.length > 0) throw invalidFields({ truncate: ['must be false together with paths'] });
    const run = restore(backups, { ...request, serverId, operationId, isTruncating: truncate });
    for await (const progress of watchRun(run, signal)) yield { progress };
  };
}
