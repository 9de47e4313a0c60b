import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mongo } from 'mongoose';
import { OperatorError, type LogLine } from '../log.js';
import { pause } from '@panel/kit/async';
import { repairDriver } from '@panel/kit/mongo';
import { freePorts, takePort } from '../processes/ports.js';
import { supervise, type SupervisedProcess } from '../processes/supervised.js';

const replicaSet = 'panel';
const readyTimeoutMs = 60_000;
const notYetInitialized = 94;
const invalidReplicaSetConfig = 93;

interface Mongod {
  readonly url: string;
  readonly process: SupervisedProcess;
}

interface MongodOptions {
  readonly binary: string;
  readonly dataDir: string;
  readonly log: LogLine;
  readonly logFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type RunCommand = (command: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** A one-member replica set, on its former port if free. */
export async function startMongod(options: MongodOptions): Promise<Mongod> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const port = await choosePort(path.join(options.dataDir, 'port'));
  const host = `127.0.0.1:${port}`;
  const process_ = await supervise(
    {
      name: 'mongo',
      command: options.binary,
      args: mongodArguments(options.dataDir, port),
      logFile: options.logFile,
      ready: (signal) => becomePrimary(host, signal),
      readyTimeoutMs,
      signal: options.signal,
    },
    options.log,
  );
  return { url: `mongodb://${host}/?directConnection=true&w=majority&journal=true`, process: process_ };
}

export function mongodArguments(dataDir: string, port: number): string[] {
  return [
    '--replSet',
    replicaSet,
    '--dbpath',
    dataDir,
    '--port',
    `${port}`,
    '--bind_ip',
    '127.0.0.1',
    '--nounixsocket',
  ];
}

/** Initiates a new set, reconfigures one from another port. False: retry. */
export async function tryBecomePrimary(run: RunCommand, host: string): Promise<boolean> {
  const hello = await run({ hello: 1 });
  if (hello['isWritablePrimary'] === true) return true;
  try {
    await run({ replSetGetStatus: 1 });
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === notYetInitialized) {
      await run({ replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host }] } });
    } else if (code === invalidReplicaSetConfig) {
      const { config } = (await run({ replSetGetConfig: 1 })) as { config: { version: number; members: object[] } };
      const members = [{ ...config.members[0], host }];
      await run({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
    } else {
      throw error;
    }
  }
  return false;
}

async function becomePrimary(host: string, signal: AbortSignal): Promise<void> {
  repairDriver();
  const client = new mongo.MongoClient(`mongodb://${host}/?directConnection=true`, { serverSelectionTimeoutMS: 1_000 });
  let lastError: unknown;
  try {
    while (!signal.aborted) {
      try {
        if (await tryBecomePrimary((command) => client.db('admin').command(command), host)) return;
      } catch (error) {
        // Still starting; the supervisor's time-out bounds the tries.
        lastError = error;
      }
      await pause(100, signal);
    }
  } finally {
    await client.close();
  }
  throw new OperatorError(`no primary: ${String(lastError)}`);
}

/** Kept, because a replica set's configuration includes addresses. */
async function choosePort(file: string): Promise<number> {
  const last = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (last > 0 && (await takePort(last, '127.0.0.1')) === undefined) return last;
  const [port = 0] = await freePorts(1);
  writeFileSync(file, `${port}\n`);
  return port;
}
