import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { findBackup } from '../../usecases/backups/read-backup.js';
import { runBackup as run } from '../../usecases/backups/run-backup.js';
import { watchRun } from '../../backups/shared-runs.js';

/** Make a backup. The run goes on when this call ends. */
export function runBackup({ backups }: FilesContext): Handler<BackupServiceService['runBackup']> {
  return async function* ({ serverId, backupId }, { signal }) {
    const running = await run(backups, serverId, backupId);
    if (running) {
      for await (const value of watchRun(running, signal)) yield { part: { $case: 'progress', value } };
    }
    yield { part: { $case: 'end', value: presentBackup(await findBackup(backups, serverId, backupId)) } };
  };
}
