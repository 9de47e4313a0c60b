import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { type Metrics, type RunningProcess, startProbeServer, startReadiness } from '@panel/kit/process';
import { AggregatorRegistry } from 'prom-client';
import { createApp } from './app.js';
import type { GatewayConfig } from './config.js';
import { type ContextOverrides, createContext } from './context.js';
import { limitConnections } from './http/connection-limits.js';
import { closeServer, createHttpServer, listen } from './http/http-server.js';
import { routes } from './routes/index.js';
import { createConsoleSockets } from './ws/console-sockets.js';
import type { SlotLimits } from './ws/slots.js';

const drainMs = 5_000;
const identityCheckMs = 2_000;

/** Ready while identity is reachable: authentication needs it. */
export async function startGateway(
  config: GatewayConfig,
  overrides: ContextOverrides & { readonly socketLimits?: SlotLimits } = {},
): Promise<RunningProcess> {
  const context = await createContext(config, overrides);
  const { log, metrics, services } = context;
  if (cluster.isWorker) shareMetrics(metrics);
  const sockets = createConsoleSockets(context, overrides.socketLimits);
  const app = createApp(context, [...routes, sockets.route]);
  const onRequest = app.callback();
  const server: Server = createHttpServer({
    onRequest,
    onUpgrade: sockets.upgradeWith(app, onRequest, () => server),
    generalLimit: config.rateLimits.general,
  });
  limitConnections(server, {
    limits: config.connections,
    trustedProxies: config.trustedProxies,
    log,
    onRefused: () => context.requestMetrics.connectionRefused(),
  });
  let address: string;
  try {
    address = await listen(server, config.host, config.port);
  } catch (error) {
    await sockets.stop();
    await context.close();
    throw error;
  }
  const readiness = await startReadiness(
    { identity: async () => services.checkIdentity(identityCheckMs) },
    {
      metrics,
      onChange: (isReady, failing) => {
        if (!isReady) log.warn({ failing }, 'not ready');
      },
    },
  );
  const probes = await startProbeServer({ listen: config.metricsListen, metrics, failingChecks: readiness.failing });
  return {
    addresses: { listen: address, metrics: probes.address },
    log,
    stop: async () => {
      readiness.stop();
      const closed = closeServer(server, drainMs);
      await sockets.stop();
      await closed;
      await context.close();
      await probes.stop();
    },
  };
}

/** Sends this worker's metrics to the primary on request. */
function shareMetrics(metrics: Metrics): void {
  AggregatorRegistry.setRegistries(metrics.registry);
  // The constructor installs prom-client's listener.
  void new AggregatorRegistry();
}
