import { mkdirSync } from 'node:fs';
import type { LogLine } from '../log.js';
import { freePorts } from '../processes/ports.js';
import { supervise, type SupervisedProcess } from '../processes/supervised.js';
import { sidecarFile, type SidecarOptions } from '@panel/embedded-mongodb';

/**
 * `journal=true` is what keeps every acknowledged write over a kill -9: without it 26 to 105 of some 2,000 inserts were
 * lost per kill (measured), with it none. Sessions are not offered, so retryable writes cannot be.
 */
const urlOptions = 'directConnection=true&w=1&journal=true&retryWrites=false';
const readyTimeoutMs = 60_000;

export interface EmbeddedMongo {
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
}

/**
 * Starts the embedded engine in a process of its own, because an invariant that fails in it ends its whole process. A
 * crash is followed by a start on the same port and data. Throws OperatorError when it does not start.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedMongo> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const [port = 0] = await freePorts(1);
  const sidecar: SidecarOptions = { dataDir: options.dataDir, port, ttlIntervalMs: options.ttlIntervalMs ?? 60_000 };
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
  return { url: `mongodb://127.0.0.1:${port}/?${urlOptions}`, process: process_ };
}
