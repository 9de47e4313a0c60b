import type { Server } from 'node:http';
import { createJobs, createTaskGroup } from '@panel/kit/process';
import type { GatewayContext } from '../context.js';
import type { Route } from '../declaration/route.js';
import { Channels } from './channels.js';
import { closeCodes } from './close-codes.js';
import { HistorySetting } from './history-setting.js';
import { AccessRechecker, recheckIntervalMs } from './access-recheck.js';
import { consoleRoute } from './console-route.js';
import { keepIntervalMs } from './slot-leases.js';
import { type SlotLimits, SocketSlots } from './slots.js';
import { createUpgrader, type Upgrader, type UpgraderOptions } from './upgrade.js';

const socketLimits: SlotLimits = { perServer: 30, perUser: 20 };
const settingsIntervalMs = 60_000;
const closeWaitMs = 2_500;

/** Of this gateway. */
interface ConsoleSockets {
  readonly route: Route;
  upgradeWith(app: object, onRequest: UpgraderOptions['onRequest'], server: () => Server): Upgrader['onUpgrade'];
  /** Closes all with 1012. */
  stop(): Promise<void>;
}

export function createConsoleSockets(context: GatewayContext, limits = socketLimits): ConsoleSockets {
  const { log, services, requestMetrics } = context;
  const tasks = createTaskGroup(log);
  const jobs = createJobs({ log, metrics: context.metrics, clock: context.clock });
  const rechecker = new AccessRechecker(context, context.config.consoleRecheckGraceMs);
  const historySetting = new HistorySetting(services.settings, log);
  const channels = new Channels({
    services,
    historySetting,
    tasks,
    log,
    recheck: async (sockets) => rechecker.check(sockets),
  });
  const slots = new SocketSlots(limits, { leases: context.slotLeases, share: 1 / context.config.replicas, log });
  let upgrader: Upgrader | null = null;
  const route = consoleRoute({
    dependencies: context,
    channels,
    slots,
    corsOrigins: context.config.corsOrigins,
    credentialOf: ({ headers }) =>
      context.credentials.fromRequest(headers.authorization, headers['sec-websocket-protocol']),
    upgrader: () => {
      if (!upgrader) throw new TypeError('a socket was opened before the HTTP server was created');
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
    { name: 'read-console-settings', intervalMs: settingsIntervalMs, run: async () => historySetting.refresh() },
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

/** Waits a few seconds at most. */
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
