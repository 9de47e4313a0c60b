import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { AppError } from './errors.js';

/** The numbers of one process. */
export interface Metrics {
  readonly registry: Registry;
  /** Start the clock of a gRPC call; call the result with the status name when it ends. */
  grpcCall(path: string): (code: string) => void;
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const calls = new Histogram({
    name: 'grpc_server_call_duration_seconds',
    help: 'Duration of served gRPC calls by method and status.',
    labelNames: ['method', 'code'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  });
  return {
    registry,
    grpcCall: (method) => {
      const end = calls.startTimer({ method });
      return (code) => void end({ code });
    },
  };
}

export interface ProbeServer {
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * `/metrics` (Prometheus text), `/healthz` (200 as long as the event loop turns) and `/readyz` (200 or 503 with the
 * failing checks) on a port of their own, away from customers.
 */
export async function startProbeServer(options: {
  listen: string;
  metrics: Metrics;
  failingChecks: () => readonly string[];
}): Promise<ProbeServer> {
  const server = createServer((request, response) => {
    const respond = (status: number, body: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type });
      response.end(body);
    };
    if (request.url === '/healthz') return respond(200, 'ok\n');
    if (request.url === '/readyz') {
      const failing = options.failingChecks();
      return respond(failing.length === 0 ? 200 : 503, failing.length === 0 ? 'ok\n' : `${failing.join('\n')}\n`);
    }
    if (request.url !== '/metrics') return respond(404, 'not found\n');
    options.metrics.registry.metrics().then(
      (text) => respond(200, text, options.metrics.registry.contentType),
      () => respond(500, 'metrics failed\n'),
    );
  });
  const host = options.listen.slice(0, options.listen.lastIndexOf(':'));
  await listen(server, host, Number(options.listen.slice(options.listen.lastIndexOf(':') + 1)));
  const bound = server.address();
  return {
    address: `${host}:${typeof bound === 'object' && bound ? bound.port : 0}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const message = `cannot listen on ${host}:${port}: ${error.message}; choose another address with METRICS_LISTEN`;
      reject(new AppError('unavailable', 'LISTEN_FAILED', message, {}, { cause: error }));
    });
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve);
  });
}
