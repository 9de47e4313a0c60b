import { type CallContext, createOnce } from '@panel/rpc';
import { AppError, isAppError, requireValid } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import { databaseName, givenNameProblems, remoteProblems, userName } from '../../domain/databases/check-database.js';
import {
  type DatabaseHost,
  type EngineKind,
  rankHosts,
  type ServerDatabase,
  servesNode,
} from '../../domain/databases/database.js';
import { allows } from '../../domain/servers/access.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { ClaimedDatabase, DatabaseLease } from '../../models/databases/database.js';
import { fail } from '../../reasons.js';
import { completeCreation } from '../../database-engines/complete-creation.js';
import { hostOf } from '../../database-engines/load-database.js';
import { removeDatabase } from '../../database-engines/remove-database.js';
import { createPassword, createUserSuffix } from '../../database-engines/secrets.js';
import { loadServer } from '../servers/load-server.js';
import type { DatabaseWithHost } from './list-databases.js';

type CreateDatabaseDeps = Pick<
  ServersContext,
  'stores' | 'clock' | 'databaseLeaseMs' | 'databaseEngines' | 'databaseWorker' | 'failpoint' | 'log' | 'creationQueue'
>;

interface NewDatabase {
  /** Without the server's prefix. */
  readonly name: string;
  readonly remote: string;
  /** Null: any. */
  readonly engine: EngineKind | null;
}

/** Limit of the cleanup after a failure; then the worker continues. */
const cleanupMs = 1_500;

/**
 * Records a database, then makes it on the host. An error leaves nothing, or a record that a worker removes once the
 * host answers. Idempotent by `idempotencyId`. The password is empty without the permission. Throws SERVER_NOT_FOUND,
 * SERVER_FORBIDDEN, INVALID_FIELDS, SERVER_LOCKED, SERVER_SUSPENDED, NO_DATABASE_HOST, DATABASE_HOST_FULL,
 * DATABASE_LIMIT, DATABASE_NAME_TAKEN, DATABASE_EXISTS_ON_HOST, DATABASE_HOST_UNREACHABLE, DATABASE_HOST_REFUSED,
 * CREATION_IN_PROGRESS, CREATION_DELETED.
 */
export async function createDatabase(
  deps: CreateDatabaseDeps,
  serverId: string,
  fields: NewDatabase,
  call: CallContext,
): Promise<DatabaseWithHost & { readonly password: string }> {
  const { server, access } = await loadServer(deps, serverId, call);
  requireValid({ ...givenNameProblems(fields.name), ...remoteProblems(fields.remote, fields.engine ?? 'mysql') });
  const { databases } = deps.stores;
  const { object, isNew } = await createOnce(call.idempotencyId, {
    find: async (id) => databases.get(id),
    create: async (id) => createOnBestHost(deps, server, id, fields),
  });
  const database = isNew ? object : await resume(deps, object);
  const password = allows(access, 'database.view_password') ? (database.password ?? '') : '';
  return { database, host: await hostOf(deps.stores, database), password };
}

async function createOnBestHost(
  deps: CreateDatabaseDeps,
  server: GameServer,
  id: string,
  fields: NewDatabase,
): Promise<ServerDatabase> {
  checkUnlocked(server);
  const hosts = await findHosts(deps, server, fields.engine);
  requireFreeSlot(server);
  for (const host of hosts) {
    requireValid(remoteProblems(fields.remote, host.engine));
    const created = await createOn(deps, server, id, host, fields);
    if (created) return created;
  }
  throw fail('DATABASE_HOST_FULL', 'all database hosts have as many databases as they may');
}

async function findHosts(
  { stores }: CreateDatabaseDeps,
  { nodeId }: GameServer,
  engine: EngineKind | null,
): Promise<readonly DatabaseHost[]> {
  const all = await stores.databaseHosts.all();
  const ranked = rankHosts(all, nodeId, engine);
  if (ranked.length > 0) {
    const [best] = ranked;
    // Full hosts must not change the chosen engine.
    return ranked.filter((host) => host.engine === best?.engine);
  }
  const kind = engine !== null && all.some((host) => servesNode(host, nodeId)) ? ` of the engine ${engine}` : '';
  throw fail('NO_DATABASE_HOST', `no database host${kind} is configured for the node of this server`);
}

/** Null: the host is full. */
async function createOn(
  deps: CreateDatabaseDeps,
  server: GameServer,
  id: string,
  host: DatabaseHost,
  fields: NewDatabase,
): Promise<ServerDatabase | null> {
  if (host.maxDatabases !== null && host.databasesCount >= host.maxDatabases) return null;
  const at = deps.clock();
  const database: ServerDatabase = {
    id,
    serverId: server.id,
    hostId: host.id,
    engine: host.engine,
    name: databaseName(server.uuidShort, fields.name),
    username: userName(server.uuidShort, createUserSuffix()),
    password: createPassword(),
    pendingPassword: null,
    remote: fields.remote,
    maxConnections: host.maxConnections,
    state: 'creating',
    isOnHost: false,
    sizeBytes: 0,
    createdAt: at,
    updatedAt: at,
  };
  const lease = await deps.creationQueue.run(server.id, async () => recordDatabase(deps, database));
  deps.failpoint('database.recorded');
  const claimed: ClaimedDatabase = { database, lease };
  try {
    await completeCreation(deps, claimed);
  } catch (error) {
    await undo(deps, claimed);
    if (isAppError(error, 'DATABASE_HOST_FULL')) return null;
    throw error;
  }
  return { ...database, state: 'active', isOnHost: true };
}

/** Takes its slot within the same queue turn, visible to the next. */
async function recordDatabase(deps: CreateDatabaseDeps, database: ServerDatabase): Promise<DatabaseLease> {
  const { databases, servers } = deps.stores;
  const server = await servers.get(database.serverId);
  if (server) requireFreeSlot(server);
  const lease = await databases.create(database, deps.databaseLeaseMs);
  // The completion checks the limit.
  await servers.updates.addDatabase(database.serverId, database.id);
  return lease;
}

/** Throws DATABASE_LIMIT. */
function requireFreeSlot({ databaseIds, featureLimits }: GameServer): void {
  if (databaseIds.length < featureLimits.databases) return;
  throw fail('DATABASE_LIMIT', 'the server has as many databases as it may');
}

/** Removes a failed creation; if the host does not answer, the worker does it. */
async function undo(deps: CreateDatabaseDeps, { database, lease }: ClaimedDatabase): Promise<void> {
  await deps.stores.databases.markDeleting(database.id);
  const current = await deps.stores.databases.get(database.id);
  // Its host was removed: only the slot is left.
  if (!current) return deps.stores.servers.updates.removeDatabase(database.serverId, database.id).then(() => undefined);
  // The host got no statement.
  if (!current.isOnHost) return removeDatabase(deps, { database: current, lease });
  await deps.stores.databases.release(lease, 0);
  await deps.databaseWorker.runNow(database.id, cleanupMs);
}

/** For a retry: completes the database if its process died. */
async function resume(deps: CreateDatabaseDeps, database: ServerDatabase): Promise<ServerDatabase> {
  if (database.state === 'active') return database;
  if (database.state === 'creating') {
    const claimed = await deps.stores.databases.claim(database.id, deps.databaseLeaseMs);
    if (!claimed) throw fail('CREATION_IN_PROGRESS', 'the database is being created; repeat the request in a moment');
    if (claimed.database.state === 'creating') {
      try {
        await completeCreation(deps, claimed);
      } catch (error) {
        await undo(deps, claimed);
        throw error;
      }
    } else await deps.stores.databases.release(claimed.lease, 0);
    const completed = await deps.stores.databases.get(database.id);
    if (completed?.state === 'active') return completed;
  }
  throw new AppError('aborted', 'CREATION_DELETED', 'what this call created is just being deleted');
}
