import { randomUUID } from 'node:crypto';
import { exhaustedLimit } from '@panel/kit/errors';
import type { Backup } from '@panel/protos/files';
import type { ServersContext } from '../../context.js';
import { requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { loadServer, nodeOf } from '../servers/load-server.js';
import { type Actor, type CallContext, derivedId } from '@panel/rpc';

interface NewBackup {
  readonly serverId: string;
  /** Empty: named by time. */
  readonly name: string;
  /** gitignore patterns; empty: the server's .panelignore. */
  readonly ignoredFiles: readonly string[];
  /** Includes a dump of each database. Default: false. */
  readonly hasDatabases?: boolean;
  /** Null: the panel itself. */
  readonly requestedBy: Actor | null;
  /** At the limit, replace the oldest unlocked backup. Default: reject. */
  readonly isRotating?: boolean;
  /** Makes retries return the same backup. */
  readonly idempotencyId?: string | undefined;
}

const msPerMinute = 60_000;

type BackupDeps = Pick<
  ServersContext,
  'stores' | 'operations' | 'files' | 'activity' | 'failpoint' | 'backupsPerMinute'
>;

/** Throws SERVER_FORBIDDEN, RATE_LIMIT_EXCEEDED, and as `startBackup`. */
export async function createBackup(
  context: BackupDeps & Pick<ServersContext, 'creationQueue'>,
  request: Omit<NewBackup, 'requestedBy' | 'idempotencyId'>,
  call: CallContext,
): Promise<Backup> {
  const { server } = await loadServer(context, request.serverId, call);
  // As for exports: the backup exposes the databases.
  if (request.hasDatabases) requireAccess(server, call, 'database.view_password');
  const { actor: requestedBy, idempotencyId, signal } = call;
  const start = async () => startBackup(context, { ...request, requestedBy, idempotencyId });
  return context.creationQueue.run(server.id, start, signal);
}

/**
 * Resolves with a pending backup, which is made in the background. Throws SERVER_NOT_FOUND, SERVER_LOCKED,
 * SERVER_SUSPENDED, BACKUP_RATE_LIMIT, BACKUP_LIMIT, INVALID_FIELDS, SERVICE_UNAVAILABLE.
 */
export async function startBackup(context: BackupDeps, request: NewBackup): Promise<Backup> {
  const { stores, operations, files, activity, failpoint, backupsPerMinute: perMinute } = context;
  const { serverId, idempotencyId } = request;
  const server = await loadOpen(context, serverId);
  const client = await files.backups(await nodeOf(context, server));
  const backupId = idempotencyId === undefined ? randomUUID() : derivedId(idempotencyId, 'backup');
  if (!(await stores.servers.backups.countStart(serverId, perMinute))) {
    await loadOpen(context, serverId);
    const exhausted = { name: 'backup', max: perMinute, remainingMs: msPerMinute };
    throw fail('BACKUP_RATE_LIMIT', `a server may begin ${perMinute} backups a minute`, exhaustedLimit(exhausted));
  }
  const { name, ignoredFiles, isRotating: rotate = false } = request;
  const limit = server.featureLimits.backups;
  const databases = request.hasDatabases === true ? await namesOf(context, serverId) : [];
  const reservation = { serverId, backupId, name, ignoredFiles: [...ignoredFiles], limit, rotate, databases };
  const { backup } = await client.reserveBackup(reservation, { timeoutMs: callMs });
  if (!backup) throw new TypeError('the files service answered without a backup');
  failpoint('backup.reserved');
  if (!(await stores.servers.backups.enqueue(serverId, backupId))) {
    await client.deleteBackup({ serverId, backupId }, { timeoutMs: callMs });
    await loadOpen(context, serverId);
    throw fail('SERVER_LOCKED', 'something else has begun with this server');
  }
  failpoint('backup.enqueued');
  await client.confirmBackup({ serverId, backupId }, { timeoutMs: callMs });
  const properties = { backup_id: backupId, name: backup.name };
  await activity.record({ event: 'server:backup.start', serverId, properties }, request.requestedBy);
  operations.runNow();
  return backup;
}

const callMs = 8_000;

/** Only active ones: others have no data to keep. */
async function namesOf({ stores }: Pick<ServersContext, 'stores'>, serverId: string): Promise<string[]> {
  const found = await stores.databases.ofServer(serverId);
  return found.filter(({ state }) => state === 'active').map(({ name }) => name);
}

/** Throws SERVER_NOT_FOUND, SERVER_LOCKED, SERVER_SUSPENDED. */
async function loadOpen({ stores }: Pick<ServersContext, 'stores'>, serverId: string): Promise<GameServer> {
  const server = await stores.servers.get(serverId);
  if (!server) throw serverNotFound();
  checkUnlocked(server);
  return server;
}
