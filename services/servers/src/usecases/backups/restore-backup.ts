import { randomUUID } from 'node:crypto';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer, Restore } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { nodeOf } from '../servers/load-server.js';

/**
 * Begin to put a backup back into the files of a server, which has to be offline. Resolves with the id of the operation.
 * Throws SERVER_RUNNING, SERVER_LOCKED, SERVER_SUSPENDED, BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED, SERVICE_UNAVAILABLE.
 */
export async function restoreBackup(
  context: Pick<ServersContext, 'stores' | 'orchestrator' | 'files' | 'grants'>,
  server: GameServer,
  restore: Restore,
): Promise<string> {
  const { stores, orchestrator, files, grants } = context;
  checkRestorable(server);
  const node = await nodeOf(context, server);
  await files.requireCompletedBackup(node, grants, server.id, restore.backupId);
  const operationId = randomUUID();
  const started = await stores.servers.backups.beginRestore(server.id, operationId, restore);
  if (!started) {
    const current = await stores.servers.get(server.id);
    if (current) checkRestorable(current);
    throw fail('SERVER_LOCKED', 'something else has begun with this server');
  }
  orchestrator.runNow();
  return operationId;
}

function checkRestorable(server: GameServer): void {
  checkUnlocked(server);
  const { state, desired } = server.power;
  if (state !== 'offline' || desired !== 'offline') {
    throw fail('SERVER_RUNNING', 'the server has to be stopped before a backup is restored', { state });
  }
  if (server.backup) throw fail('SERVER_LOCKED', 'a backup of the server is being made', { operation: 'backing_up' });
}
