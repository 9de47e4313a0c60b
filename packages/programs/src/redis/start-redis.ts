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
  /** REDIS_URL: used as it is, nothing is started. */
  readonly url?: string | undefined;
  /** The PATH on which `redis-server` is looked for. */
  readonly searchPath: string;
  readonly log: LogLine;
  readonly logFile?: string | undefined;
  /** Gives up the start. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunningRedis {
  /** With the password of a Redis that was started here. */
  readonly url: string;
  /** Undefined when the Redis is not ours. */
  readonly process?: SupervisedProcess;
  /** SIGTERM, after `graceMs` SIGKILL. */
  stop(graceMs: number): Promise<void>;
}

/** Finds or starts a Redis, or returns null where there is none: then one gateway counts in its own process. */
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
  // Games can run on this machine, and arguments are read by everybody: the password is in a file of our own.
  const password = randomBytes(32).toString('base64url');
  const config = path.join(directory, 'redis.conf');
  writeFileSync(config, `requirepass ${password}\n`, { mode: 0o600 });
  // Counters and signals only: nothing in it has to outlive it.
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
        // Not up yet: the supervisor's time-out bounds the tries.
      }
      await pause(50, signal);
    }
  } finally {
    client.disconnect();
  }
}
