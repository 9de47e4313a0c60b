import { randomBytes } from 'node:crypto';
import { databaseUrl, findProgram } from '@panel/programs';
import type { TestDatabaseServer } from './database-server.js';
import { readTestConfig } from './config.js';
import { borrowTestDatabase, noteTestDatabase } from './test-databases.js';
import { testDependencies } from './test-dependencies.js';

export type { TestDatabaseServer } from './database-server.js';
export { programEnvironment, readTestConfig } from './config.js';
export { byDay } from './by-day.js';
export { type BreakableProxy, startBreakableProxy } from './breakable-proxy.js';
export { noteOnFailure } from './failure-notes.js';
export { dropTestDatabase, returnTestDatabase } from './test-databases.js';

/**
 * An unused database of MONGO_URL, else of an embedded engine, dropped at the end of the run. `prefix` is part of the name.
 * Call inside hooks or tests, not at load time.
 */
export function testMongoUrl(prefix = 'test'): string {
  const base = readTestConfig().mongoUrl ?? testDependencies.mongo?.url;
  if (base === undefined) {
    throw new Error(
      'no MongoDB in this run: call testMongoUrl() in a hook, and require the mocha hooks of @panel/testing',
    );
  }
  return noteTestDatabase(databaseUrl(base, `${prefix}_${randomBytes(6).toString('hex')}`));
}

/**
 * As `testMongoUrl`, but may have the empty collections and indexes of one that an earlier fixture of this process gave
 * back with `returnTestDatabase`.
 */
export function reusedMongoUrl(prefix: string): string {
  return borrowTestDatabase(prefix, () => testMongoUrl(prefix));
}

/** REDIS_URL, else a `redis-server` of this run; null without one (throws in CI). Shared: use a key prefix. */
export async function testRedisUrl(): Promise<string | null> {
  const config = readTestConfig();
  const url = config.redisUrl ?? (await testDependencies.redis())?.url ?? null;
  if (url === null && config.isCi) throw new Error('no Redis: CI needs REDIS_URL or a redis-server on the PATH');
  return url;
}

/** Started for this run on first use; null when not installed (throws in CI). Shared: create databases. */
export async function testMariadb(): Promise<TestDatabaseServer | null> {
  return required(await testDependencies.mariadb(), 'MariaDB: CI needs mariadb-server');
}

/** As `testMariadb`. */
export async function testPostgresql(): Promise<TestDatabaseServer | null> {
  return required(await testDependencies.postgresql(), 'PostgreSQL: CI needs postgresql');
}

/** In a `before` hook or test: pending without the programs; throws in CI. */
export function needPrograms(context: Pick<Mocha.Context, 'skip'>, ...names: readonly string[]): void {
  const { isCi, searchPath } = readTestConfig();
  const missing = names.filter((name) => findProgram(name, searchPath) === undefined);
  if (missing.length === 0) return;
  if (isCi) throw new Error(`CI needs ${missing.join(', ')}`);
  context.skip();
}

function required<T>(server: T | null, missing: string): T | null {
  if (server === null && readTestConfig().isCi) throw new Error(`no ${missing}`);
  return server;
}
