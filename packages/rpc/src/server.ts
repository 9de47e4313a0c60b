import { Server } from '@grpc/grpc-js';
import { HealthImplementation, protoPath as healthProto } from 'grpc-health-check';
import type { ActorSigner } from './auth/actor.js';
import { createCallTimers, type Invoke } from './call-execution.js';
import type { TlsFiles } from './config.js';
import { AppError } from '@panel/kit/errors';
import type { Logger, Metrics, Tracing } from '@panel/kit/process';
import { MultiplexServiceService } from '@panel/protos/common';
import type { RpcPermission } from '@panel/protos/permissions';
import { maxMessageBytes } from './multiplex/limits.js';
import { addMultiplex } from './multiplex/serve-multiplex.js';
import type { MultiplexMethod, SessionLimits } from './multiplex/session.js';
import { adaptHandler, type NativeCalls } from './native-handler.js';
import { addReflection } from './reflection.js';
import { serverCredentials } from './tls.js';
import type { Handlers, ServiceDefinition } from './types.js';
import { widenFlowControl } from './flow-control.js';

export interface GrpcServerOptions {
  /** host:port; port 0 takes any free one. */
  readonly listen: string;
  readonly signer: ActorSigner;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing | undefined;
  readonly tls?: TlsFiles | null;
  /** Of what is served. Default: none. */
  readonly hasReflection?: boolean;
  /** Checked before every handler. Absent in tests of transports. */
  readonly permissionOf?: (path: string) => RpcPermission | undefined;
  /** For tests. */
  readonly multiplexLimits?: SessionLimits;
}

/** Unread request data. */
const windowBytes = { stream: 1024 * 1024, connection: 4 * 1024 * 1024 };

/** Paired for type checks. */
export interface ServedService {
  readonly definition: ServiceDefinition;
  readonly handlers: Record<string, unknown>;
}

/** A missing or misspelt handler does not compile. */
export function serve<S extends ServiceDefinition>(definition: S, handlers: Handlers<S>): ServedService {
  return { definition, handlers };
}

export interface GrpcServer {
  readonly address: string;
  /** Health status, initially false. */
  setReady(isReady: boolean): void;
  /**
   * Reports NOT_SERVING, ends open streams (`signal` aborts with STOPPING), lets unary calls finish within `graceMs`.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Natively and multiplexed, with health and reflection, on one port. All other calls need a valid actor token
 * (UNAUTHENTICATED, ACTOR_INVALID). Throws LISTEN_FAILED.
 */
export async function startGrpcServer(
  services: readonly ServedService[],
  options: GrpcServerOptions,
): Promise<GrpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    'grpc-node.max_session_memory': 64,
  });
  widenFlowControl(server, windowBytes);
  const timers = options.metrics && createCallTimers(options.metrics.registry);
  const calls: NativeCalls = {
    streams: new Set(),
    signer: options.signer,
    log: options.log,
    timers,
    tracing: options.tracing,
    permissionOf: options.permissionOf,
  };
  const multiplexed = new Map<string, MultiplexMethod>();
  for (const { definition, handlers } of services) {
    const implementation: Record<string, unknown> = {};
    for (const [name, method] of Object.entries(definition)) {
      const invoke = handlers[name];
      if (typeof invoke !== 'function') throw new TypeError(`no handler for ${method.path}`);
      if (options.permissionOf && !options.permissionOf(method.path)) {
        throw new TypeError(`no row in the table of permissions for ${method.path}`);
      }
      implementation[name] = adaptHandler(method, invoke as Invoke, calls);
      const isUnary = !method.requestStream && !method.responseStream;
      if (isUnary) multiplexed.set(method.path, { method, invoke: invoke as Invoke });
    }
    server.addService(withEncodedAnswers(definition) as never, implementation as never);
  }
  const multiplex = addMultiplex(server, multiplexed, calls, options.multiplexLimits);
  const health = addHealth(server, services);
  const definitions = [...services.map(({ definition }) => definition), MultiplexServiceService];
  if (options.hasReflection === true) addReflection(server, definitions.map(serviceName), healthProto);
  const port = await bind(server, options);
  return {
    address: `${options.listen.slice(0, options.listen.lastIndexOf(':'))}:${port}`,
    setReady: (isReady) => health.set(isReady),
    stop: async (graceMs) => {
      health.set(false);
      const stopping = new AppError('unavailable', 'STOPPING', 'the service is stopping');
      for (const stream of calls.streams) stream.abort(stopping);
      multiplex.leave();
      await shutdown(server, graceMs);
    },
  };
}

function withEncodedAnswers(definition: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(definition).map(([name, method]) => {
    if (method.responseStream) return [name, method] as const;
    return [name, { ...method, responseSerialize: (payload: Buffer) => payload }] as const;
  });
  return Object.fromEntries(methods);
}

function addHealth(server: Server, services: readonly ServedService[]): { set(isReady: boolean): void } {
  const names = ['', ...services.map(({ definition }) => serviceName(definition))];
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'NOT_SERVING' as const])));
  health.addToServer(server);
  return {
    set: (isReady) => {
      for (const name of names) health.setStatus(name, isReady ? 'SERVING' : 'NOT_SERVING');
    },
  };
}

function serviceName(definition: ServiceDefinition): string {
  const path = Object.values(definition)[0]?.path ?? '/';
  return path.slice(1, path.lastIndexOf('/'));
}

async function bind(server: Server, options: GrpcServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(options.listen, serverCredentials(options.tls ?? null), (error, port) => {
      if (error) {
        const message = `cannot listen on ${options.listen}: ${error.message}; choose another address with LISTEN`;
        reject(new AppError('unavailable', 'LISTEN_FAILED', message, {}, { cause: error }));
      } else resolve(port);
    });
  });
}

async function shutdown(server: Server, graceMs: number): Promise<void> {
  const graceful = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  const timer = setTimeout(() => server.forceShutdown(), graceMs);
  await graceful;
  clearTimeout(timer);
}
