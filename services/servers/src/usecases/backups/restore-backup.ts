import { randomUUID } from 'node:crypto';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { Backup_State } from '@panel/protos/files';
import { splitFilePath } from '@panel/kit/text';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';
import { checkRestorable } from '../../domain/power/power-transitions.js';
import type { GameNode } from '../../domain/nodes/node.js';
import type { Restore } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { placeOfBackup } from '../../node-clients/backup-place.js';
import { loadServer, nodeOf } from '../servers/load-server.js';

/**
 * Starts a restore of files, and of databases on request; the server must be offline. Resolves with the operation id.
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_RUNNING, SERVER_LOCKED, SERVER_SUSPENDED, BACKUP_NOT_FOUND,
 * BACKUP_NOT_COMPLETED, BACKUP_WITHOUT_DATABASES, INVALID_FIELDS, NODE_GONE, BACKUP_OUT_OF_REACH, SERVICE_UNAVAILABLE.
 */
export async function restoreBackup(
  context: Pick<ServersContext, 'stores' | 'operations' | 'files' | 'grants'>,
  serverId: string,
  {
    hasDatabases,
    ...request
  }: Omit<Restore, 'databases' | 'hasDumps' | 'sourceNodeId'> & { readonly hasDatabases: boolean },
  caller: Caller,
): Promise<string> {
  const { stores, operations, files, grants } = context;
  const { server, access } = await loadServer(context, serverId, caller);
  if (access.pathRules.length > 0) {
    throw fail('SERVER_FORBIDDEN', 'a backup holds files that you may not reach', { permission: 'backup.restore' });
  }
  // As for imports.
  if (hasDatabases) requireAccess(server, caller, 'database.update');
  if (hasDatabases) requireAccess(server, caller, 'database.view_password');
  checkPaths(request.paths);
  const node = await nodeOf(context, server);
  if (!node.health.isReachable) throw nodeGone(node);
  checkRestorable(server);
  const ids = { serverId: server.id, backupId: request.backupId };
  const { backup, holder } = await placeOfBackup({ stores, files, grants }, node, ids);
  const { state, databases } = backup;
  if (state !== Backup_State.COMPLETED) throw fail('BACKUP_NOT_COMPLETED', 'only a completed backup can be restored');
  const hasDumps = databases.length > 0;
  if (hasDatabases && !hasDumps) throw fail('BACKUP_WITHOUT_DATABASES', 'no databases are in this backup');
  const sourceNodeId = holder?.id ?? null;
  const restore = { ...request, hasDumps, databases: hasDatabases ? databases : [], sourceNodeId };
  const operationId = randomUUID();
  const started = await stores.servers.backups.beginRestore(server.id, operationId, restore);
  if (!started) {
    const current = await stores.servers.get(server.id);
    if (current) checkRestorable(current);
    throw fail('SERVER_LOCKED', 'something else has begun with this server');
  }
  operations.runNow();
  return operationId;
}

/** What the record says of the game is of no use then. */
function nodeGone({ id, name }: GameNode): Error {
  const message = `the node ${name} does not answer: staff can restore the backup onto another node`;
  return fail('NODE_GONE', message, { node_id: id });
}

function checkPaths(paths: readonly string[]): void {
  for (const path of paths) {
    const split = splitFilePath(path);
    if ('problem' in split) throw invalidFields({ paths: [split.problem] });
    if (split.names.length === 0)
      throw invalidFields({ paths: [fieldProblem('too_short', 'must name files or directories below the root')] });
  }
}
