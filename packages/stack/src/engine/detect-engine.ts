import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isAppError } from '@panel/kit/errors';
import { pingEngine } from '@panel/runtime';
import type { RuntimeChoice } from '../config.js';
import { OperatorError, type LogLine } from '@panel/programs';

const defaultSocket = '/var/run/docker.sock';
const pingTimeoutMs = 2_000;

export type Engine =
  { readonly kind: 'docker'; readonly url: string; readonly tls?: EngineTls } | { readonly kind: 'process' };

interface EngineTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface EngineOptions {
  readonly runtime: RuntimeChoice;
  readonly dockerHost?: string | undefined;
  readonly dockerCertPath?: string | undefined;
  readonly log: LogLine;
}

/** Throws OperatorError when docker is required and unreachable. */
export async function detectEngine(options: EngineOptions): Promise<Engine> {
  const { runtime, log } = options;
  if (runtime === 'process') {
    log('Games: process runtime (RUNTIME=process): no isolation, never for strangers');
    return { kind: 'process' };
  }
  const engine = describeDocker(options);
  const problem = await pingProblem(engine);
  if (problem === undefined) {
    log(`Games: containers by the engine at ${engine.url}`);
    return engine;
  }
  if (runtime === 'docker') {
    throw new OperatorError(
      `RUNTIME=docker, but ${engine.url} ${problem}: start the engine, set DOCKER_HOST, or set RUNTIME=process`,
    );
  }
  log(
    `Games: process runtime, because ${engine.url} ${problem}: no isolation, for trying things out, never for strangers`,
  );
  return { kind: 'process' };
}

function describeDocker({ dockerHost, dockerCertPath }: EngineOptions): Extract<Engine, { kind: 'docker' }> {
  const url = dockerHost ?? `unix://${defaultSocket}`;
  if (dockerCertPath === undefined || url.startsWith('unix:')) return { kind: 'docker', url };
  try {
    const read = (name: string): string => readFileSync(path.join(dockerCertPath, name), 'utf8');
    return { kind: 'docker', url, tls: { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') } };
  } catch (error) {
    throw new OperatorError(
      `DOCKER_CERT_PATH is not usable: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function pingProblem({ url, tls }: Extract<Engine, { kind: 'docker' }>): Promise<string | undefined> {
  try {
    await pingEngine({ url, ...(tls && { tls }), timeoutMs: pingTimeoutMs });
    return undefined;
  } catch (error) {
    const { code, message } = (isAppError(error, 'NODE_UNREACHABLE') ? error.cause : error) as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'does not answer';
    return code === 'EACCES' ? 'may not be used by this user' : `does not answer (${message})`;
  }
}
