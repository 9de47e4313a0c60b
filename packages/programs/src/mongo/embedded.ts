import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LogLine } from '../log.js';
import { freePorts } from '../processes/ports.js';
import { supervise, type SupervisedProcess } from '../processes/supervised.js';
import { sidecarFile, type SidecarOptions, sidecarUser } from '@panel/embedded-mongodb';

/**
 * `journal=true` is what keeps every acknowledged write over a kill -9: without it 26 to 105 of some 2,000 inserts were
 * lost per kill (measured), with it none. Sessions are not offered, so retryable writes cannot be.
 */
const urlOptions = 'directConnection=true&w=1&journal=true&retryWrites=false';
/** In the clear, because it never leaves the machine. */
const authentication = 'authMechanism=PLAIN&authSource=%24external';
const readyTimeoutMs = 60_000;
const defaultMinFreeDiskMb = 64;

export interface EmbeddedMongo {
  /** With its password. */
  readonly url: string;
  readonly process: SupervisedProcess;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log: LogLine;
  readonly logFile?: string | undefined;
  /** Gives up the start. */
  readonly signal?: AbortSignal | undefined;
  /** How often expired documents are removed; mongod does it every 60 s. */
  readonly ttlIntervalMs?: number;
  /** Writes are refused while less is free (default 64 MB). */
  readonly minFreeDiskMb?: number | undefined;
}

/**
 * Starts the embedded engine in a process of its own, because an invariant that fails in it ends its whole process. A
 * crash is followed by a start on the same port and data. Throws OperatorError when it does not start.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedMongo> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const [port = 0] = await freePorts(1);
  // Games can run on this machine, and arguments are read by everybody: the password is in a file of our own.
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
