import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LogLine } from '../log.js';
import { freePorts } from '../processes/ports.js';
import { supervise, type SupervisedProcess } from '../processes/supervised.js';
import { sidecarFile, type SidecarOptions, sidecarUser } from '@panel/embedded-mongodb';

/**
 * `journal=true`: without it kill -9 lost 26 to 105 of 2,000 acknowledged inserts (measured). Without sessions there
 * are no retryable writes.
 */
const urlOptions = 'directConnection=true&w=1&journal=true&retryWrites=false';
/** Unencrypted, because it stays on this machine. */
const authentication = 'authMechanism=PLAIN&authSource=%24external';
const readyTimeoutMs = 60_000;
const defaultMinFreeDiskMb = 64;

export interface EmbeddedMongo {
  /** With its password. */
  readonly url: string;
  readonly process: SupervisedProcess;
}

interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log: LogLine;
  readonly logFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of the removal of expired documents; mongod's is 60 s. */
  readonly ttlIntervalMs?: number;
  /** Writes are refused below it (default 64 MB). */
  readonly minFreeDiskMb?: number | undefined;
}

/** In its own process, because a failed invariant ends it. Restarts on the same port and data. Throws OperatorError. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedMongo> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const [port = 0] = await freePorts(1);
  // In a private file, because games on this machine can read arguments.
  const passwordFile = path.join(options.dataDir, 'password');
  const password = randomBytes(32).toString('base64url');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const sidecar: SidecarOptions = {
    dataDir: options.dataDir,
    port,
    passwordFile,
    ttlIntervalMs: options.ttlIntervalMs ?? 60_000,
    minFreeDiskMb: options.minFreeDiskMb ?? defaultMinFreeDiskMb,
  };
  const process_ = await supervise(
    {
      name: 'mongo',
      command: process.execPath,
      args: [sidecarFile, JSON.stringify(sidecar)],
      logFile: options.logFile,
      ready: 'message',
      readyTimeoutMs,
      signal: options.signal,
    },
    options.log,
  );
  const url = `mongodb://${sidecarUser}:${password}@127.0.0.1:${port}/?${urlOptions}&${authentication}`;
  return { url, process: process_ };
}
