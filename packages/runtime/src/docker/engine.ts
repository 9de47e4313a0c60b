import { setMaxListeners } from 'node:events';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { inspect } from 'node:util';
import Docker from 'dockerode';
import { isAppError, messageOf } from '@panel/kit/errors';
import { addressForbidden, type AddressGuard } from '@panel/kit/net';
import { engineProblem, runtimeError } from '../reasons.js';
import { abortable } from './abortable-calls.js';
import { StreamGuard } from './stream-guard.js';

export interface EngineOptions {
  /** `unix:///var/run/docker.sock`, `tcp://host:2375` or, with `tls`, `tcp://host:2376`. */
  readonly url: string;
  /** PEM. The engine's certificate must be signed by `ca` and name the host. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** Checks every connect to a TCP engine. Default: all allowed. */
  readonly guard?: AddressGuard | undefined;
  /** Of one call, default 10 s. Slow calls have their own. */
  readonly timeoutMs?: number;
  /** Ping interval while streams are open, default 15 s. */
  readonly heartbeatMs?: number;
}

export type Call<T> = (docker: Docker, signal: AbortSignal) => Promise<T>;

interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** HTTP status of the engine's answer, null without one. */
export function statusOf(error: unknown): number | null {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : null;
}

/** Without the client's prefix "(HTTP code 500) server error - ". */
export function engineMessage(error: unknown): string {
  return messageOf(error)
    .replace(/^\(HTTP code \d+\) [^-]* - /, '')
    .trim();
}

/**
 * One engine. Every call has a deadline. Errors from the engine pass unchanged (see `statusOf`); others become
 * NODE_UNREACHABLE.
 */
export class Engine {
  readonly timeoutMs: number;
  readonly isLocal: boolean;
  private readonly docker: Docker;
  private readonly agent: Agent;
  /** A refused literal address: the agent checks resolved names only. */
  private readonly isForbidden: boolean;
  private readonly guard: StreamGuard;
  private readonly closing = new AbortController();

  constructor(options: EngineOptions) {
    this.timeoutMs = options.timeoutMs ?? 10_000;
    setMaxListeners(0, this.closing.signal);
    const address = addressOf(options);
    this.isLocal = options.url.startsWith('unix:');
    const { guard } = options;
    this.isForbidden = guard !== undefined && isIP(address.host ?? '') !== 0 && !guard.isAllowed(address.host ?? '');
    const agentOptions = { keepAlive: true, maxFreeSockets: 8, ...(guard && { lookup: guard.lookup }) };
    this.agent = briefly(options.tls ? new TlsAgent(agentOptions) : new Agent(agentOptions));
    // The client library fills missing fields from DOCKER_* variables.
    const connection = {
      ...address,
      protocol: options.tls ? ('https' as const) : ('http' as const),
      ca: options.tls?.ca,
      cert: options.tls?.cert,
      key: options.tls?.key,
      timeout: undefined,
      agent: this.agent,
    };
    this.docker = new Docker(connection);
    this.guard = new StreamGuard(async () => this.ping(), options.heartbeatMs ?? 15_000);
  }

  /** Deadline 5 s. A web server, say, answers too: only an engine says OK. */
  async ping(): Promise<void> {
    let answer: unknown;
    try {
      answer = await this.call(async (docker, abortSignal) => abortable(docker).ping({ abortSignal }), {
        timeoutMs: Math.min(5000, this.timeoutMs),
      });
    } catch (error) {
      throw unexpectedError(error);
    }
    if (String(answer).trim() !== 'OK') throw notAnEngine();
  }

  async call<T>(run: Call<T>, options: CallOptions = {}): Promise<T> {
    if (this.isForbidden) throw translate(addressForbidden('the engine'));
    const timeoutMs = options.timeoutMs ?? this.timeoutMs;
    const abort = new AbortController();
    const stops = [this.closing.signal, ...(options.signal ? [options.signal] : [])];
    let giveUp: (error: Error) => void = () => undefined;
    const gaveUp = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const end = (error: Error) => {
      giveUp(error);
      abort.abort();
    };
    const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const stopped = () => end(new Error('the call was given up'));
    for (const stop of stops) stop.addEventListener('abort', stopped, { once: true });
    try {
      if (stops.some((stop) => stop.aborted)) throw new Error('the call was given up');
      // The client library never settles when an answer's body breaks off.
      return await Promise.race([run(this.docker, abort.signal), gaveUp]);
    } catch (error) {
      throw translate(error);
    } finally {
      clearTimeout(timer);
      for (const stop of stops) stop.removeEventListener('abort', stopped);
      gaveUp.catch(() => undefined);
    }
  }

  /**
   * May be silent for hours. Destroyed when `signal` aborts, when the runtime closes, and with NODE_UNREACHABLE when
   * pings fail. The caller destroys it.
   */
  async openStream(run: Call<NodeJS.ReadableStream>, options: CallOptions = {}): Promise<Readable> {
    const stream = (await this.call(run, options)) as Readable;
    stream.on('error', () => undefined); // an error without a listener would end the process
    this.guard.watch(stream, [this.closing.signal, ...(options.signal ? [options.signal] : [])]);
    return stream;
  }

  close(): void {
    this.closing.abort();
    this.agent.destroy();
  }
}

/**
 * Workaround for docker-modem (5.0): each call inspects its options to any depth, though debugging is off. With the
 * sockets of 80 streams this took 300 ms of the event loop.
 */
function briefly(agent: Agent): Agent {
  return Object.assign(agent, { [inspect.custom]: () => 'Agent' });
}

function addressOf({ url, tls }: EngineOptions): { socketPath?: string; host?: string; port?: number } {
  if (url.startsWith('unix://')) return { socketPath: url.slice('unix://'.length), host: undefined, port: undefined };
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !['tcp:', 'http:', 'https:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new TypeError('an engine url is unix:///path or tcp://host:port');
  }
  return {
    socketPath: undefined,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port || (tls ? 2376 : 2375)),
  };
}

function translate(error: unknown): unknown {
  if (isAppError(error, 'ADDRESS_FORBIDDEN')) {
    const message = 'the address of the container engine is not allowed';
    return runtimeError('NODE_UNREACHABLE', message, { problem: 'engine_address_forbidden' }, { cause: error });
  }
  if (isAppError(error) || statusOf(error) !== null) return error;
  return runtimeError(
    'NODE_UNREACHABLE',
    'the container engine does not answer',
    { reason: messageOf(error), problem: engineProblem(error) },
    { cause: error },
  );
}

export function notAnEngine() {
  const message = 'what answers at the address of the container engine is none';
  return runtimeError('NODE_UNREACHABLE', message, { problem: 'engine_answer_unexpected' });
}

export function unexpectedError(error: unknown): unknown {
  if (statusOf(error) === null) return error;
  const reason = engineMessage(error);
  const metadata = { reason, problem: 'engine_answer_unexpected' };
  return runtimeError('ENGINE_FAILED', 'the container engine answered with an error', metadata, { cause: error });
}
