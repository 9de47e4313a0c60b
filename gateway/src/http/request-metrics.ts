import type { Metrics } from '@panel/kit/process';
import { Counter, Gauge, Histogram } from 'prom-client';

export interface RequestMetrics {
  observe(method: string, route: string, status: number, seconds: number): void;
  /** Redis did not answer, or is not connected. */
  redisFailed(): void;
  /** Asked at each scrape. */
  watchRedis(ping: () => Promise<boolean>): void;
  /** Too many open connections. */
  connectionRefused(): void;
  /** Open consoles of this process. */
  socketOpened(): void;
  socketClosed(): void;
}

export function createRequestMetrics(metrics: Metrics): RequestMetrics {
  const registers = [metrics.registry];
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  });
  const redisFailures = new Counter({
    name: 'gateway_redis_failures_total',
    help: 'Seconds in which Redis did not answer a count; the process counted on its own instead.',
    registers,
  });
  const refused = new Counter({
    name: 'gateway_connections_refused_total',
    help: 'Connections turned away because too many were open.',
    registers,
  });
  const sockets = new Gauge({ name: 'gateway_sockets', help: 'Open console sockets.', registers });
  return {
    observe: (method, route, status, seconds) => duration.observe({ method, route, status }, seconds),
    redisFailed: () => redisFailures.inc(),
    watchRedis: (ping) => {
      const name = 'gateway_redis_available';
      const help = '1 while limits are shared through Redis, 0 while each process counts on its own.';
      const collect = async function (this: Gauge) {
        this.set(Number(await ping()));
      };
      void new Gauge({ name, help, aggregator: 'min', registers, collect });
    },
    connectionRefused: () => refused.inc(),
    socketOpened: () => sockets.inc(),
    socketClosed: () => sockets.dec(),
  };
}
