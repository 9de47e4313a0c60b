import { randomUUID } from 'node:crypto';
import { KeyedMutex } from '@panel/kit/async';
import type { ServersConfig } from '../config.js';
import { createCommandLimiter } from '../console/command-limiter.js';
import { ConsoleHub } from '../console/console-hub.js';
import { FeatureDetector } from '../console/feature-detector.js';
import { ReadyDetector } from '../console/ready-detector.js';
import { ResourceMeter } from '../console/resource-meter.js';
import type { BackupDumps } from '../database-engines/dumps/backup-dumps.js';
import type { GameDeps, GameSettings, GameTriggers } from '../games/dependencies.js';
import { ExitEvents } from '../games/exit-events.js';
import { PowerService } from '../games/power-service.js';
import { MetricsRollUp } from '../metrics/metrics-roll-up.js';
import { MetricsSampler } from '../metrics/metrics-sampler.js';
import { runtimeFactory, Runtimes } from '../node-clients/runtimes.js';
import type { NodeDeps, NodeSettings } from '../nodes/dependencies.js';
import { BackupWorker } from '../operations/backup-worker.js';
import type { OperationDeps, OperationSettings } from '../operations/operation.js';
import { OperationWorker } from '../operations/worker.js';
import type { PlayerWatch } from '../scheduling/player-watch.js';
import type { Foundation } from './foundation.js';

interface GameRoomsOptions {
  readonly triggers: GameTriggers;
  readonly players: Pick<PlayerWatch, 'onLine'>;
  readonly backupDumps: BackupDumps;
  readonly owned: () => readonly string[];
  readonly current: () => readonly string[];
}

export type GameRooms = ReturnType<typeof createGameRooms>;

export function createGameRooms(
  parts: Foundation,
  { triggers, players, backupDumps, owned, current }: GameRoomsOptions,
) {
  const { config, clock, log, tasks, files, stores } = parts;
  const { servers, nodes, registries, metrics, leftInstances } = stores;
  const runtimes = createRuntimes(parts);
  const consoles = createConsoleRoom(parts, runtimes, players);
  const settings = roomSettings(config);
  const deps: GameDeps & NodeDeps = {
    owner: randomUUID(),
    clock,
    log,
    tasks,
    attempt: parts.attempt,
    servers,
    nodes,
    registries,
    runtimes,
    files,
    hub: consoles.hub,
    exits: new ExitEvents(),
    activity: parts.activity,
    triggers,
    engineCalls: new KeyedMutex(),
    failpoint: parts.failpoint,
    leftInstances,
    settings,
  };
  const power = new PowerService(deps);
  const { allocations, consoles: consoleStore, schedules, databases } = stores;
  const isOwned = (nodeId: string) => owned().includes(nodeId);
  const isCurrent = (nodeId: string) => current().includes(nodeId);
  const operationDeps: OperationDeps = {
    ...deps,
    settings,
    allocations,
    consoles: consoleStore,
    schedules,
    metrics,
    databases,
    backupDumps,
    power,
    isOwned,
    isCurrent,
  };
  return {
    ...consoles,
    runtimes,
    deps,
    operationDeps,
    power,
    operations: new OperationWorker(operationDeps, tasks, owned),
    backups: new BackupWorker(operationDeps, tasks, owned),
    sampler: new MetricsSampler({ clock, log, metrics, servers, nodes, files, runtimes }),
    rollUp: new MetricsRollUp({ clock, metrics, servers }),
  };
}

function createRuntimes({ config, overrides, guard, installationId }: Foundation): Runtimes {
  const { runDir, gameNetwork: network, allowsProcessNodes } = config;
  const settings = { installationId, runDir, network, allowsProcessNodes, guard };
  return new Runtimes(overrides.createRuntime ?? runtimeFactory(settings));
}

function createConsoleRoom(
  { config, overrides, stores, tasks, log, files }: Foundation,
  runtimes: Runtimes,
  players: GameRoomsOptions['players'],
) {
  const { redisUrl, commandsPerMinute, replicas } = config;
  const ready = new ReadyDetector(stores.servers, tasks);
  const features: FeatureDetector = new FeatureDetector(stores.servers, tasks, (serverId, generation, notice) =>
    hub.find(serverId)?.feature(generation, notice),
  );
  const hub = new ConsoleHub(stores.consoles, log, (serverId, generation, text) => {
    ready.onLine(serverId, generation, text);
    features.onLine(serverId, generation, text);
    players.onLine(serverId, generation, text);
  });
  const meter = new ResourceMeter(log, files, runtimes, (serverId, generation, resources) =>
    hub.find(serverId)?.stats(generation, resources),
  );
  const commandLimiter =
    overrides.commandLimiter ?? createCommandLimiter({ redisUrl, commandsPerMinute, replicas, log });
  return { hub, meter, ready, features, commandLimiter };
}

function roomSettings(config: ServersConfig): GameSettings & NodeSettings & OperationSettings {
  return {
    stopGraceMs: config.stopGraceMs,
    endsGamesWithService: config.gamesOnShutdown === 'stop',
    startTimeoutMs: config.startTimeoutMs,
    diskWatchMs: config.diskWatchMs,
    minFreeDiskMb: config.minFreeDiskMb,
    installTimeoutMs: config.installTimeoutMs,
    transferTimeoutMs: config.transferTimeoutMs,
    transfersPerNode: config.transfersPerNode,
    crash: config.crash,
    timezone: config.timezone,
    workTtlMs: config.leaseTtlMs * 2,
  };
}
