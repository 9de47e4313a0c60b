import { randomUUID } from 'node:crypto';
import { AppError } from '../errors/errors.js';
import { pause } from '../async/pause.js';
import { acquireLease, type Lease } from '../lease/lease.js';
import type { Logger } from '../process/logger.js';
import { duplicateIndex, maxQueryMs, type MongoConnection } from './connection.js';

/** A step to the next database version. */
export interface Migration {
  /** Its file's name, `0001-baseline`: the number is the resulting version. */
  readonly name: string;
  /**
   * Idempotent, because it restarts after a crash. Uses collection names, because models change later. Ends when
   * `signal` aborts.
   */
  readonly run: (connection: MongoConnection, signal: AbortSignal) => Promise<void>;
}

interface MigrateOptions {
  readonly log: Logger;
  /** Until another process may follow a dead one. */
  readonly ttlMs?: number;
  /** For a migrating replica. */
  readonly waitMs?: number;
  readonly pollMs?: number;
}

/** The single document with the database's version. */
interface VersionDocument {
  readonly _id: string;
  readonly version: number;
  readonly name: string;
  readonly holder: string;
  readonly heldUntil: Date;
}

const collectionName = 'schema_version';
const _id = 'schema';
const epoch = new Date(0);

/**
 * One process migrates under a lease in database time; others wait. Progress is stored after each migration. Throws
 * DATABASE_NEWER, MIGRATION_TIMEOUT after `waitMs` of waiting, and a migration's errors.
 */
export async function migrate(
  connection: MongoConnection,
  migrations: readonly Migration[],
  options: MigrateOptions,
): Promise<void> {
  requireNumbered(migrations);
  const { log, waitMs = 10 * 60_000, pollMs = 500 } = options;
  const versions = versionsOf(connection);
  await ensureDocument(versions);
  const endsAt = performance.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const version = await readVersion(versions, migrations.length);
    if (version === migrations.length) return;
    const lease = await takeLease(versions, options);
    if (lease !== null) return runUnderLease(connection, versions, migrations, lease, log);
    if (isFirst)
      log.info({ version, target: migrations.length }, 'another replica migrates the database: waiting for it');
    if (performance.now() > endsAt)
      throw new AppError(
        'unavailable',
        'MIGRATION_TIMEOUT',
        'another replica still migrates the database: start again later',
      );
    await pause(pollMs);
  }
}

function requireNumbered(migrations: readonly Migration[]): void {
  for (const [index, { name }] of migrations.entries()) {
    const prefix = `${String(index + 1).padStart(4, '0')}-`;
    if (!name.startsWith(prefix)) throw new TypeError(`migration ${name} must be called ${prefix}…`);
  }
}

type Versions = ReturnType<typeof versionsOf>;
const versionsOf = (connection: MongoConnection) => connection.collection<VersionDocument>(collectionName);

async function ensureDocument(versions: Versions): Promise<void> {
  const empty = { version: 0, name: '', holder: '', heldUntil: epoch };
  try {
    await versions.updateOne({ _id }, { $setOnInsert: empty }, { upsert: true });
  } catch (error) {
    if (duplicateIndex(error) === null) throw error;
  }
}

/** Throws DATABASE_NEWER. */
async function readVersion(versions: Versions, target: number): Promise<number> {
  const { version = 0, name = '' } = (await versions.findOne({ _id }, { maxTimeMS: maxQueryMs })) ?? {};
  if (version <= target) return version;
  const message = `the database has version ${version} (${name}), and this release knows ${target}: start the newer release, or restore a backup that is older than its start`;
  throw new AppError('failed_precondition', 'DATABASE_NEWER', message, { version, target });
}

interface VersionLease {
  readonly lease: Lease;
  readonly holder: string;
}

async function takeLease(versions: Versions, { log, ttlMs = 30_000 }: MigrateOptions): Promise<VersionLease | null> {
  const holder = randomUUID();
  const until = { $add: ['$$NOW', ttlMs] };
  const take = async (filter: object, holding: string): Promise<boolean> => {
    const update = [{ $set: { heldUntil: until, holder: holding } }];
    return (await versions.updateOne({ _id, ...filter }, update, { maxTimeMS: maxQueryMs })).matchedCount === 1;
  };
  const lease = await acquireLease({
    name: 'the migration of the database',
    log,
    ttlMs,
    acquire: async () => take({ $expr: { $lte: ['$heldUntil', '$$NOW'] } }, holder),
    renew: async () => take({ holder }, holder),
    release: async () => versions.updateOne({ _id, holder }, { $set: { holder: '', heldUntil: epoch } }),
  });
  return lease && { lease, holder };
}

async function runUnderLease(
  connection: MongoConnection,
  versions: Versions,
  migrations: readonly Migration[],
  { lease, holder }: VersionLease,
  log: Logger,
): Promise<void> {
  try {
    const done = await readVersion(versions, migrations.length);
    for (const [index, { name, run }] of migrations.entries()) {
      if (index < done) continue;
      const startedAt = performance.now();
      log.info({ migration: name }, 'a migration of the database begins');
      await run(connection, lease.signal);
      await lease.ensure(1_000);
      // Under the lease: a paused process must not store progress after its successor.
      const progress = { $set: { version: index + 1, name } };
      const { matchedCount } = await versions.updateOne({ _id, holder, version: index }, progress);
      if (matchedCount !== 1) throw new AppError('aborted', 'LEASE_LOST', `another process has run migration ${name}`);
      log.info({ migration: name, durationMs: Math.round(performance.now() - startedAt) }, 'a migration has ended');
    }
  } finally {
    await lease.release();
  }
}
