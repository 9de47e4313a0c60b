import { releaseCopies } from '../../backups/receive-archives.js';
import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

export async function discardVolumeTransfer(
  { transfers, backups }: Pick<FilesContext, 'transfers' | 'backups'>,
  { serverId, operationId }: { readonly serverId: string; readonly operationId: string },
): Promise<void> {
  await mapFsErrors(async () => transfers.discard(serverId, operationId));
  await mapFsErrors(async () => releaseCopies(backups, serverId));
}
