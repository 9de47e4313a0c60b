import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { restoreBackup } from '../../usecases/backups/restore-backup.js';
import { readId, readServerId } from '../read-ids.js';

const maxPaths = 100;

/** The run continues after this call. */
export function handleRestoreBackup(backups: FilesContext['backups']): Handler<BackupServiceService['restoreBackup']> {
  return async function* ({ truncate, ...request }, { signal }) {
    const serverId = readServerId(request.serverId);
    const operationId = readId(request.operationId, 'operation_id');
    if (request.paths.length > maxPaths)
      throw invalidFields({ paths: [fieldProblem('too_long', `must be at most ${maxPaths}`)] });
    if (truncate && request.paths.length > 0)
      throw invalidFields({ truncate: [fieldProblem('conflicting', 'must be false together with paths')] });
    const wanted = { ...request, serverId, operationId, isTruncating: truncate };
    for await (const progress of restoreBackup(backups, wanted, signal)) yield { progress };
  };
}
