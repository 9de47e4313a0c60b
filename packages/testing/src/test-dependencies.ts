import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LogLine, type RunningMongo, type RunningRedis, startMongo, startRedis } from '@panel/programs';
import { readTestConfig } from './config.js';
import type { TestDatabaseServer } from './database-server.js';
import { startMariadb } from './mariadb.js';
import { startPostgresql } from './postgresql.js';

const stopGraceMs = 5_000;
/** Clocks of tests stand in the past: the removal of expired documents would take what they have written. */
const ttlIntervalMs = 86_400_000;

/** MongoDB by the root hook, others on first use. */
class TestDependencies {
  mongo: RunningMongo | undefined;
  #directory: string | undefined;
  #redis: Promise<RunningRedis | null> | undefined;
  #mariadb: Promise<TestDatabaseServer | null> | undefined;
  #postgresql: Promise<TestDatabaseServer | null> | undefined;

  async startMongo(): Promise<void> {
    const options = { searchPath: '', log: onlyTrouble, minFreeDiskMb: 0, ttlIntervalMs };
    this.mongo = await startMongo({ dataDir: this.#dataDir(), ...options });
  }

  redis(): Promise<RunningRedis | null> {
    const { searchPath } = readTestConfig();
    this.#redis ??= startRedis({ dataDir: this.#dataDir(), searchPath, log: onlyTrouble });
    return this.#redis;
  }

  mariadb(): Promise<TestDatabaseServer | null> {
    this.#mariadb ??= startMariadb(readTestConfig().searchPath);
    return this.#mariadb;
  }

  postgresql(): Promise<TestDatabaseServer | null> {
    this.#postgresql ??= startPostgresql(readTestConfig().searchPath);
    return this.#postgresql;
  }

  async stop(): Promise<void> {
    await Promise.all([this.mongo?.stop(stopGraceMs), (await this.#redis)?.stop(stopGraceMs)]);
    // A failed start has failed its tests already.
    const servers = await Promise.allSettled([this.#mariadb, this.#postgresql]);
    await Promise.all(servers.map(async (one) => (one.status === 'fulfilled' ? one.value?.stop() : undefined)));
    this.#mariadb = undefined;
    this.#postgresql = undefined;
    this.mongo = undefined;
    this.#redis = undefined;
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
  }

  #dataDir(): string {
    this.#directory ??= mkdtempSync(path.join(tmpdir(), 'panel-test-'));
    return this.#directory;
  }
}

const onlyTrouble: LogLine = (line) => {
  if (!/^(MongoDB|Redis): /.test(line)) process.stderr.write(`${line}\n`);
};

export const testDependencies = new TestDependencies();
