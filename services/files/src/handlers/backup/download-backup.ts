import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { BackupServiceService } from '@panel/protos/files';
import { type Handler, messageChunks } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireUnrestricted } from '../../domain/grant.js';
import { readThroughGateway } from '../../metrics.js';
import { presentBackup } from '../../present/backup.js';
import { openBackup } from '../../usecases/backups/read-backup.js';
import { readGrant } from '../read-grant.js';

const unknownTotal = -1;

export function handleDownloadBackup(context: FilesContext): Handler<BackupServiceService['downloadBackup']> {
  const { backups, metrics } = context;
  return async function* (request, { permission, signal }) {
    const { serverId } = requireUnrestricted(readGrant(context, request.grant, permission));
    const { backupId: id, offsetBytes: offset, limitBytes: limit } = request;
    for (const [name, value] of Object.entries({ offset_bytes: offset, limit_bytes: limit })) {
      if (!Number.isSafeInteger(value) || value < 0)
        throw invalidFields({ [name]: [fieldProblem('out_of_range', 'must be 0 or more')] });
    }
    const { backup, content, leave } = await openBackup(backups, { serverId, id, offset, limit }, signal);
    try {
      const totalBytes = content.totalBytes ?? unknownTotal;
      yield { part: { $case: 'start', value: { backup: presentBackup(backup), totalBytes } } };
      for await (const bytes of content.chunks) {
        metrics.bytes.inc(readThroughGateway, bytes.length);
        for (const value of messageChunks(bytes)) yield { part: { $case: 'chunk', value } };
      }
    } finally {
      leave();
    }
  };
}
