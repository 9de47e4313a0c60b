import type { Job } from '@panel/kit/process';
import { reviewConsoles } from '../console/review-consoles.js';
import { startWanted } from '../games/start-wanted.js';
import { measureUsage } from '../metrics/measure-usage.js';
import { repairNodeNames } from '../nodes/copy-node-name.js';
import { enforceDiskLimits, watchStartingGames } from '../nodes/enforce-disk-limits.js';
import { DiskLimitKeeper } from '../nodes/hold-disk-limits.js';
import { sweepReservations } from '../nodes/sweep-reservations.js';
import { runPendingCleanups } from '../operations/pending-cleanups.js';
import type { Foundation } from './foundation.js';
import type { GameRooms } from './game-rooms.js';

const tickMs = 1_000;
const housekeepingMs = 30_000;
const diskLimitsTickMs = 5_000;

interface OwnedNodes {
  readonly owned: () => readonly string[];
  readonly reachable: () => readonly string[];
  /** Where games are stopped by the records. */
  readonly current: () => readonly string[];
  /** Blocks starts. */
  readonly isStopping: () => boolean;
}

export function createGameJobs(parts: Foundation, rooms: GameRooms, nodes: OwnedNodes): Job[] {
  const machineJobs = [...createWorkJobs(rooms, nodes), ...createNodeJobs(parts, rooms, nodes)];
  return [...machineJobs.map((job) => ({ ...job, isTimed: false as const })), usageJob(parts, rooms, nodes)];
}

function createWorkJobs(
  { deps, operationDeps, power, hub, meter, operations, backups, sampler, rollUp }: GameRooms,
  { owned, reachable, current, isStopping }: OwnedNodes,
): Job[] {
  const { servers, nodes } = deps;
  const review = () => reviewConsoles({ hub, meter, servers, nodes }, owned());
  const start = async () => {
    if (!isStopping()) await startWanted(deps, power, { owned: owned(), reachable: reachable(), current: current() });
  };
  return [
    { name: 'run-operations', intervalMs: tickMs, run: () => operations.tick() },
    { name: 'run-backups', intervalMs: tickMs, run: () => backups.tick() },
    { name: 'report-unknown-operations', intervalMs: housekeepingMs, run: () => operations.reportUnknown() },
    { name: 'start-wanted-servers', intervalMs: tickMs, run: start },
    { name: 'run-pending-cleanups', intervalMs: tickMs, run: () => runPendingCleanups(operationDeps, owned()) },
    { name: 'review-node-watchers', intervalMs: tickMs, run: review },
    { name: 'save-console-anchors', intervalMs: housekeepingMs, run: () => hub.saveAnchors() },
    { name: 'sweep-consoles', intervalMs: housekeepingMs, run: async () => hub.sweep() },
    { name: 'sample-metrics', intervalMs: tickMs, run: () => sampler.tick(owned()) },
    { name: 'roll-up-metrics', intervalMs: housekeepingMs, run: () => rollUp.tick(owned()) },
  ];
}

function createNodeJobs(
  { config, stores, clock }: Foundation,
  { deps, power }: GameRooms,
  { owned, current }: Pick<OwnedNodes, 'owned' | 'current'>,
): Job[] {
  const { diskCheckMs, diskWatchMs } = config;
  const diskLimits = new DiskLimitKeeper(deps);
  const enforceDisk = () => enforceDiskLimits(deps, power, current());
  const watchStarting = () => watchStartingGames(deps, power, current());
  const sweep = () => sweepReservations(stores, deps, clock());
  return [
    { name: 'enforce-disk-limits', intervalMs: diskCheckMs, run: enforceDisk },
    { name: 'hold-disk-limits', intervalMs: diskLimitsTickMs, run: () => diskLimits.tick(owned()) },
    { name: 'watch-disk-of-starting-games', intervalMs: diskWatchMs, run: watchStarting },
    { name: 'sweep-reservations', intervalMs: housekeepingMs, run: sweep },
    { name: 'repair-node-names', intervalMs: housekeepingMs, run: () => repairNodeNames(stores, owned()) },
  ];
}

function usageJob(
  { config, stores, installationClock: clock }: Foundation,
  { deps }: GameRooms,
  { owned }: Pick<OwnedNodes, 'owned'>,
): Job {
  return {
    name: 'measure-usage',
    intervalMs: config.usageIntervalMs,
    run: async (signal) => measureUsage({ ...deps, clock, usage: stores.usage }, owned(), signal),
  };
}
