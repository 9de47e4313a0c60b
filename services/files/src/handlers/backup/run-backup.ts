import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { findBackup } from '../../usecases/backups/read-backup.js';
import { runBackup } from '../../usecases/backups/run-backup.js';

/** The run continues after this call. */
export function handleRunBackup(backups: FilesContext['backups']): Handler<BackupServiceService['runBackup']> {
  return async function* ({ serverId, backupId: id, ownerId }, { signal }) {
    for await (const value of runBackup(backups, { serverId, id, ownerId }, signal))
      yield { part: { $case: 'progress', value } };
    yield { part: { $case: 'end', value: presentBackup(await findBackup(backups, serverId, id)) } };
  };
}
