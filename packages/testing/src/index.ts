import { randomBytes } from 'node:crypto';
import { databaseUrl, findProgram } from '@panel/programs';
import type { TestDatabaseServer } from './database-server.js';
import { readTestConfig } from './config.js';
import { testDependencies } from './test-dependencies.js';

export type { TestDatabaseServer } from './database-server.js';
export { readTestConfig } from './config.js';
export { noteOnFailure } from './failure-notes.js';

/**
 * URL of an unused database, on the MongoDB of this test run: MONGO_URL, else an embedded engine that mocha's root
 * hook has started. `prefix` shows in the name. Call it inside a hook or a test, not while files are loaded.
 */
export function testMongoUrl(prefix = 'test'): string {
  const base = readTestConfig().mongoUrl ?? testDependencies.mongo?.url;
  if (base === undefined) {
    throw new Error(
      'no MongoDB in this run: call testMongoUrl() in a hook, and require the mocha hooks of @panel/testing',
    );
  }
  return databaseUrl(base, `${prefix}_${randomBytes(6).toString('hex')}`);
}

/**
 * URL of a real Redis for tests that need one: REDIS_URL, else one `redis-server` started for this run; null where there is
 * none (in CI that throws, because there a missing part is a failure). Its keys are shared: use a key prefix of your own.
 */
export async function testRedisUrl(): Promise<string | null> {
  const config = readTestConfig();
  const url = config.redisUrl ?? (await testDependencies.redis())?.url ?? null;
  if (url === null && config.isCi) throw new Error('no Redis: CI needs REDIS_URL or a redis-server on the PATH');
  return url;
}

/**
 * A real MariaDB server, started for this run with the first test that asks; null where none is installed (in CI that
 * throws). Shared: make databases of your own in it.
 */
export async function testMariadb(): Promise<TestDatabaseServer | null> {
  return required(await testDependencies.mariadb(), 'MariaDB: CI needs mariadb-server');
}

/** The same of PostgreSQL. */
export async function testPostgresql(): Promise<TestDatabaseServer | null> {
  return required(await testDependencies.postgresql(), 'PostgreSQL: CI needs postgresql');
}

/** For a `before` hook or a test, which is pending where one of these programs is not installed; in CI that throws. */
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
