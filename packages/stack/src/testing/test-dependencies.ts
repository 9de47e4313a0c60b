import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LogLine } from '../log.js';
import { startMongo, type RunningMongo } from '../mongo/start-mongo.js';
import { startRedis, type RunningRedis } from '../redis/start-redis.js';
import { readTestConfig } from './config.js';

const stopGraceMs = 5_000;

/** The real parts of one test process: MongoDB started by the root hook, Redis with the first test that asks for it. */
class TestDependencies {
  mongo: RunningMongo | undefined;
  #directory: string | undefined;
  #redis: Promise<RunningRedis | null> | undefined;

  async startMongo(): Promise<void> {
    this.mongo = await startMongo({ dataDir: this.#dataDir(), searchPath: '', log: onlyTrouble });
  }

  redis(): Promise<RunningRedis | null> {
    const { searchPath } = readTestConfig();
    this.#redis ??= startRedis({ dataDir: this.#dataDir(), searchPath, log: onlyTrouble });
    return this.#redis;
  }

  async stop(): Promise<void> {
    await Promise.all([this.mongo?.stop(stopGraceMs), (await this.#redis)?.stop(stopGraceMs)]);
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
