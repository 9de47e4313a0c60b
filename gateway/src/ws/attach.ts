import type { Server } from 'node:http';
import { createJobs, createTaskGroup } from '@panel/kit';
import type { App } from '../app.js';
import type { GatewayContext } from '../context.js';
import { credentialOf } from '../middleware/admission.js';
import type { Route } from '../routes/route.js';
import { Channels } from './channels.js';
import { closeCodes } from './close-codes.js';
import { HistoryLength } from './history-length.js';
import { Rechecker, recheckIntervalMs } from './recheck.js';
import { socketRoute } from './route.js';
import { keepIntervalMs } from './slot-leases.js';
import { type SlotLimits, SocketSlots } from './slots.js';
import { createUpgrader, type Upgrader, type UpgraderOptions } from './upgrade.js';

/** How many sockets may be open. */
export const socketLimits: SlotLimits = { perServer: 30, perUser: 20 };
const settingsIntervalMs = 60_000;
const closeWaitMs = 2_500;

/** All console sockets of this gateway. */
export interface Sockets {
  /** To be mounted with the other routes. */
  readonly route: Route;
  /** Make the handler of the HTTP server's `upgrade` event, over the finished application. */
  upgradeWith(app: App, onRequest: UpgraderOptions['onRequest'], server: () => Server): Upgrader['onUpgrade'];
  /** Close every socket with 1012. */
  stop(): Promise<void>;
}

export function attachSockets(context: GatewayContext, limits = socketLimits): Sockets {
  const { log, services, requestMetrics } = context;
  const tasks = createTaskGroup(log);
  const jobs = createJobs({ log, metrics: context.metrics, clock: () => new Date() });
  const rechecker = new Rechecker(context);
  const historyLength = new HistoryLength(services.settings, log);
  const channels = new Channels({
    services,
    historyLength,
    tasks,
    log,
    recheck: async (sockets) => rechecker.check(sockets),
  });
  const slots = new SocketSlots(limits, { leases: context.slotLeases, share: 1 / context.config.replicas, log });
  let upgrader: Upgrader | null = null;
  const route = socketRoute({
    parts: context,
    channels,
    slots,
    corsOrigins: context.config.corsOrigins,
    credentialOf: ({ headers }) =>
      credentialOf(context.credentials, headers.authorization, headers['sec-websocket-protocol']),
    upgrader: () => {
      if (!upgrader) throw new TypeError('sockets were used before the server was there');
      return upgrader;
    },
    onOpen: (socket) => {
      requestMetrics.socketOpened();
      socket.onClose(() => requestMetrics.socketClosed());
    },
  });
  jobs.start([
    { name: 'recheck-sockets', intervalMs: recheckIntervalMs, run: async () => rechecker.check(channels.sockets()) },
    { name: 'keep-socket-slots', intervalMs: keepIntervalMs, run: async () => slots.keep() },
    { name: 'read-console-settings', intervalMs: settingsIntervalMs, run: async () => historyLength.refresh() },
  ]);
  return {
    route,
    upgradeWith: (app, onRequest, server) => {
      upgrader = createUpgrader({ app, onRequest, server, log });
      return upgrader.onUpgrade;
    },
    stop: async () => {
      await closeAll(channels);
      channels.stop();
      await Promise.all([jobs.stop(), tasks.stop()]);
    },
  };
}

/** Say goodbye to every socket and wait until they are gone, or some seconds. */
async function closeAll(channels: Channels): Promise<void> {
  const sockets = channels.sockets();
  const gone = sockets.map(async (socket) => new Promise<void>((resolve) => socket.onClose(resolve)));
  for (const socket of sockets) socket.close(closeCodes.restart);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, closeWaitMs);
  });
  await Promise.race([Promise.all(gone), timeout]);
  clearTimeout(timer);
}
