import path from 'node:path';
import { OperatorError, type LogLine } from '../log.js';
import { findProgram } from '../processes/find-program.js';
import type { SupervisedProcess } from '../processes/supervised.js';
import { databaseUrl, withoutPassword } from './database-url.js';
import { startEmbedded } from './embedded.js';
import { startMongod } from './mongod.js';
import { unsupportedReason } from '@panel/embedded-mongodb';

interface MongoOptions {
  readonly dataDir: string;
  /** MONGO_URL: used unchanged, nothing is started. */
  readonly url?: string | undefined;
  /** MONGOD_BIN: a stock mongod to start. */
  readonly mongodBin?: string | undefined;
  /** The PATH to find `mongod`. */
  readonly searchPath: string;
  readonly log: LogLine;
  readonly logFile?: string | undefined;
  readonly ttlIntervalMs?: number;
  /** For the embedded engine: see EmbeddedOptions. */
  readonly minFreeDiskMb?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RunningMongo {
  /** Includes options that keep acknowledged writes. */
  readonly url: string;
  /** The choice and its reason, one line. */
  readonly describe: string;
  /** Undefined for an external MongoDB. */
  readonly process?: SupervisedProcess;
  /** SIGTERM, after `graceMs` SIGKILL. */
  stop(graceMs: number): Promise<void>;
}

/**
 * In order: the given URL, a stock mongod, the embedded engine, a downloaded mongod. Throws OperatorError without any.
 */
export async function startMongo(options: MongoOptions): Promise<RunningMongo> {
  const running = await choose(options);
  options.log(`MongoDB: ${running.describe}`);
  return running;
}

async function choose(options: MongoOptions): Promise<RunningMongo> {
  if (options.url !== undefined) return external(options.url);
  const binary = findMongod(options);
  if (binary !== undefined) return stock(options, binary, `${binary}, one-member replica set`);
  const reason = unsupportedReason();
  if (reason !== undefined) return downloaded(options, reason);
  const { url, process } = await startEmbedded({ ...options, dataDir: path.join(options.dataDir, 'mongo') });
  return ours(
    url,
    process,
    `embedded engine in a process of its own (MONGO_URL and MONGOD_BIN are not set, no mongod on the PATH)`,
  );
}

function external(url: string): RunningMongo {
  try {
    databaseUrl(url, 'check');
  } catch (error) {
    throw new OperatorError(`MONGO_URL is ${error instanceof Error ? error.message : String(error)}`);
  }
  return { url, describe: `MONGO_URL ${withoutPassword(url)}`, stop: () => Promise.resolve() };
}

function findMongod({ mongodBin, searchPath }: MongoOptions): string | undefined {
  const found = findProgram(mongodBin ?? 'mongod', searchPath);
  if (mongodBin !== undefined && found === undefined) {
    throw new OperatorError(`MONGOD_BIN is ${mongodBin}, which is not a program; set it to a mongod or leave it out`);
  }
  return found;
}

async function stock(options: MongoOptions, binary: string, describe: string): Promise<RunningMongo> {
  const { url, process } = await startMongod({ ...options, binary, dataDir: path.join(options.dataDir, 'mongod') });
  return ours(url, process, describe);
}

async function downloaded(options: MongoOptions, reason: string): Promise<RunningMongo> {
  options.log(`MongoDB: ${reason}; fetching a stock mongod`);
  try {
    const { MongoBinary } = await import('mongodb-memory-server-core');
    const binary = await MongoBinary.getPath({ downloadDir: path.join(options.dataDir, 'mongodb-binaries') });
    return await stock(options, binary, `downloaded ${binary}, one-member replica set`);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`no MongoDB: ${reason}, and none could be fetched (${detail}); set MONGO_URL`);
  }
}

function ours(url: string, process: SupervisedProcess, describe: string): RunningMongo {
  return { url, describe, process, stop: (graceMs) => process.stop(graceMs) };
}
