import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { LogLine } from '../log.js';
import { findProgram } from '../processes/find-program.js';
import { pause } from '@panel/kit/async';
import { freePorts } from '../processes/ports.js';
import { supervise, type SupervisedProcess } from '../processes/supervised.js';

const readyTimeoutMs = 15_000;

export interface RedisOptions {
  readonly dataDir: string;
  /** REDIS_URL: used unchanged, nothing is started. */
  readonly url?: string | undefined;
  /** The PATH to find `redis-server`. */
  readonly searchPath: string;
  readonly log: LogLine;
  readonly logFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RunningRedis {
  /** Includes the password if started here. */
  readonly url: string;
  /** Undefined for an external Redis. */
  readonly process?: SupervisedProcess;
  /** SIGTERM, after `graceMs` SIGKILL. */
  stop(graceMs: number): Promise<void>;
}

/** Null without one: then a single gateway counts in its own process. */
export async function startRedis(options: RedisOptions): Promise<RunningRedis | null> {
  if (options.url !== undefined) {
    options.log(`Redis: REDIS_URL ${options.url.replace(/\/\/[^@/]*@/, '//***@')}`);
    return { url: options.url, stop: () => Promise.resolve() };
  }
  const binary = findProgram('redis-server', options.searchPath);
  if (binary === undefined) {
    options.log(
      'Redis: none (REDIS_URL is not set, no redis-server on the PATH); counters are in the process, one gateway only',
    );
    return null;
  }
  const { url, process } = await startServer(binary, options);
  options.log(`Redis: ${binary}`);
  return { url, process, stop: (graceMs) => process.stop(graceMs) };
}

async function startServer(
  binary: string,
  options: RedisOptions,
): Promise<{ url: string; process: SupervisedProcess }> {
  const directory = path.join(options.dataDir, 'redis');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [port = 0] = await freePorts(1);
  // In a private file, because games on this machine can read arguments.
  const password = randomBytes(32).toString('base64url');
  const config = path.join(directory, 'redis.conf');
  writeFileSync(config, `requirepass ${password}\n`, { mode: 0o600 });
  // Only counters and signals: nothing persistent.
  const keepNothing = ['--save', '', '--appendonly', 'no'];
  const limits = ['--maxmemory', '256mb', '--maxmemory-policy', 'volatile-ttl'];
  const process_ = await supervise(
    {
      name: 'redis',
      command: binary,
      args: [config, '--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, ...keepNothing, ...limits],
      logFile: options.logFile,
      ready: (signal) => answersPing(port, password, signal),
      readyTimeoutMs,
      signal: options.signal,
    },
    options.log,
  );
  return { url: `redis://:${password}@127.0.0.1:${port}`, process: process_ };
}

async function answersPing(port: number, password: string, signal: AbortSignal): Promise<void> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    password,
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
  });
  client.on('error', () => undefined);
  try {
    while (!signal.aborted) {
      try {
        if (client.status !== 'ready') await client.connect();
        if ((await client.ping()) === 'PONG') return;
      } catch {
        // Not ready yet: the supervisor's time-out bounds the tries.
      }
      await pause(50, signal);
    }
  } finally {
    client.disconnect();
  }
}
