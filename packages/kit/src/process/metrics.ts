import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { AppError } from '../errors/errors.js';

export interface Metrics {
  readonly registry: Registry;
}

/** All packages have one version. Resolved by name: a program is one file in a folder of its own. */
const { version } = createRequire(import.meta.url)('@panel/kit/package.json') as { readonly version: string };

/**
 * Milliseconds; each lag includes them. The default of 10 costs an idle process 0.9 % of a core (measured), this 0.3 %.
 */
const eventLoopMonitoringPrecision = 50;

/** Every sample has the label `service`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  new Gauge({
    name: 'panel_build_info',
    help: '1, with the version of the panel.',
    labelNames: ['version'],
    aggregator: 'max',
    registers: [registry],
  }).set({ version }, 1);
  return { registry };
}

interface ProbeServer {
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * `/metrics` (Prometheus text), `/healthz` (200 while the event loop runs), `/readyz` (200, or 503 with failing
 * checks). The port is closed to customers.
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
