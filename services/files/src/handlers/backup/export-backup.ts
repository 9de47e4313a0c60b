import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { openExport } from '../../usecases/backups/export-backup.js';
import { readExportGrant } from '../read-grant.js';

export function handleExportBackup(context: FilesContext): Handler<BackupServiceService['exportBackup']> {
  return async function* ({ grant, backupId: id }, { signal }) {
    const { serverId } = readExportGrant(context, grant);
    const { content, leave } = await openExport(context, { serverId, id }, signal);
    try {
      for await (const chunk of content.chunks) yield { chunk };
    } finally {
      leave();
    }
  };
}
