import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { KeyedMutex, raceAbort } from '@panel/kit/async';
import type { Job, Jobs, Logger, TaskGroup } from '@panel/kit/process';
import type { ActivityLog } from './activity-log.js';
import { ConsoleHub } from './console/console-hub.js';
import type { ConsoleMessages } from './console/console-messages.js';
import { FeatureDetector } from './console/feature-detector.js';
import { ReadyDetector } from './console/ready-detector.js';
import { ResourceMeter } from './console/resource-meter.js';
import type { Failpoint } from './failpoint.js';
import type { GameNode } from './domain/nodes/node.js';
import type { Stores } from './models/stores.js';
import type { BackupDumps } from './database-engines/dumps/backup-dumps.js';
import type { NodeFiles } from './node-clients/files.js';
import { LeaseKeeper } from './nodes/lease-keeper.js';
import { MetricsRollUp } from './metrics/metrics-roll-up.js';
import { MetricsSampler } from './metrics/metrics-sampler.js';
import { DiskLimitKeeper } from './nodes/hold-disk-limits.js';
import { enforceDiskLimits, watchStartingGames } from './nodes/enforce-disk-limits.js';
import { NodeWatcher } from './nodes/node-watcher.js';
import { type RuntimeFactory, Runtimes } from './node-clients/runtimes.js';
import { measureUsage } from './metrics/measure-usage.js';
import { repairNodeNames } from './nodes/copy-node-name.js';
import { sweepReservations } from './nodes/sweep-reservations.js';
import { runPendingCleanups } from './operations/pending-cleanups.js';
import { BackupWorker } from './operations/backup-worker.js';
import { OperationWorker } from './operations/worker.js';
import type { GameDeps, GameSettings } from './games/deps.js';
import { ExitEvents } from './games/exit-events.js';
import { PowerService } from './games/power-service.js';
import { stopAllGames } from './games/stop-all.js';
import type { PlayerWatch } from './scheduling/player-watch.js';
import type { ScheduleTriggers } from './scheduling/schedule-triggers.js';
import type { GameServer } from './domain/servers/server.js';

export interface OrchestratorOptions {
  readonly clock: () => Date;
  readonly log: Logger;
  readonly tasks: TaskGroup;
  readonly jobs: Jobs;
  readonly stores: Stores;
  readonly files: NodeFiles;
  readonly backupDumps: BackupDumps;
  readonly activity: ActivityLog;
  readonly triggers: ScheduleTriggers;
  readonly players: Pick<PlayerWatch, 'onLine'>;
  readonly consoleMessages: ConsoleMessages;
  readonly createRuntime: RuntimeFactory;
  readonly failpoint: Failpoint;
  readonly settings: GameSettings;
  readonly leaseTtlMs: number;
  readonly reconcileMs: number;
  readonly diskCheckMs: number;
  /** How often the usage of metered servers is measured. */
  readonly usageIntervalMs: number;
  readonly gamesOnShutdown: 'keep' | 'stop';
}

const tickMs = 1_000;
const housekeepingMs = 30_000;
const diskLimitsTickMs = 5_000;
const lastRunMs = 1_000;

/** Nobody waits longer than this for what an engine may have of a game that ended. */
const lastRunTimeoutMs = 1_500;

/** Everything of this process that works on games: power, consoles, operations, and the nodes it watches. */
export class Orchestrator {
  readonly hub: ConsoleHub;
  readonly power: PowerService;
  readonly operations: OperationWorker;
  readonly backups: BackupWorker;
  readonly runtimes: Runtimes;
  readonly meter: ResourceMeter;
  readonly deps: GameDeps;
  #leases: LeaseKeeper | null = null;
  #isStopping = false;
  readonly #owner = randomUUID();
  readonly #ready: ReadyDetector;
  readonly #features: FeatureDetector;
  readonly #metricsSampler: MetricsSampler;
  readonly #metricsRollUp: MetricsRollUp;

  constructor(private readonly options: OrchestratorOptions) {
    const { stores, log, tasks, files } = options;
    // Every action and operation in progress listens for the end of the process.
    setMaxListeners(0, tasks.signal);
    this.runtimes = new Runtimes(options.createRuntime);
    this.#ready = new ReadyDetector(stores.servers, tasks);
    this.#features = new FeatureDetector(stores.servers, tasks, (serverId, generation, notice) =>
      this.hub.find(serverId)?.feature(generation, notice),
    );
    this.hub = new ConsoleHub(stores.consoles, log, options.consoleMessages, (serverId, generation, text) => {
      this.#ready.onLine(serverId, generation, text);
      this.#features.onLine(serverId, generation, text);
      options.players.onLine(serverId, generation, text);
    });
    this.deps = {
      owner: this.#owner,
      clock: options.clock,
      log,
      tasks,
      attempt: async (...item) => options.jobs.attempt(...item),
      servers: stores.servers,
      nodes: stores.nodes,
      allocations: stores.allocations,
      runtimes: this.runtimes,
      files,
      hub: this.hub,
      exits: new ExitEvents(),
      activity: options.activity,
      triggers: options.triggers,
      engineCalls: new KeyedMutex(),
      failpoint: options.failpoint,
      settings: options.settings,
    };
    this.power = new PowerService(this.deps);
    const operationDeps = {
      ...this.deps,
      consoles: stores.consoles,
      schedules: stores.schedules,
      metrics: stores.metrics,
      databases: stores.databases,
      backupDumps: options.backupDumps,
      power: this.power,
      isOwned: (nodeId: string) => this.owned().includes(nodeId),
    };
    this.operations = new OperationWorker(operationDeps, tasks, () => this.owned());
    this.backups = new BackupWorker(operationDeps, tasks, () => this.owned());
    this.meter = new ResourceMeter(
      log,
      files,
      this.runtimes,
      options.consoleMessages,
      (serverId, generation, resources) => this.hub.find(serverId)?.stats(generation, resources),
    );
    const { metrics, servers, nodes } = stores;
    const { clock } = options;
    this.#metricsSampler = new MetricsSampler({ clock, log, metrics, servers, nodes, files, runtimes: this.runtimes });
    this.#metricsRollUp = new MetricsRollUp({ clock, metrics, servers });
    stores.observe((server) => this.#onChange(server));
  }

  /** Ids of the nodes this replica watches. */
  owned(): string[] {
    return this.#leases?.owned() ?? [];
  }

  get leases(): LeaseKeeper | null {
    return this.#leases;
  }

  /** Begin to watch nodes; `address` is where other replicas find this one. */
  start(address: string): void {
    const { jobs, tasks, stores, log, leaseTtlMs, reconcileMs } = this.options;
    const leases = new LeaseKeeper(
      {
        owner: this.#owner,
        ttlMs: leaseTtlMs,
        leases: stores.leases,
        replicas: stores.replicas,
        nodes: stores.nodes,
        log,
        attempt: this.deps.attempt,
        watch: (node) => new NodeWatcher(this.deps, this.power, node, reconcileMs),
        onLost: async (nodeId) => this.#forgetNode(nodeId),
      },
      address,
    );
    this.#leases = leases;
    tasks.run('keys', async () => {
      const count = await stores.nodes.sealKeys();
      if (count > 0) log.info({ count }, 'keys of nodes were sealed');
      const passwords = (await stores.databaseHosts.sealPasswords()) + (await stores.databases.sealPasswords());
      if (passwords > 0) log.info({ count: passwords }, 'passwords of databases were sealed');
    });
    jobs.start([{ name: 'keep-node-leases', intervalMs: Math.floor(leaseTtlMs / 3), run: () => leases.tick() }]);
    jobs.start(this.#createJobs());
  }

  #createJobs(): Job[] {
    const { stores, diskCheckMs, usageIntervalMs, clock, settings } = this.options;
    const runCleanups = () => runPendingCleanups(this.deps, this.owned());
    const enforceDisk = () => enforceDiskLimits(this.deps, this.power, this.owned());
    const repairNames = () => repairNodeNames(stores, this.owned());
    const watchStarting = () => watchStartingGames(this.deps, this.power, this.owned());
    const diskLimits = new DiskLimitKeeper(this.deps);
    const measure = (signal: AbortSignal) => measureUsage({ ...this.deps, usage: stores.usage }, this.owned(), signal);
    const sweep = () => sweepReservations(stores, this.deps, clock());
    return [
      { name: 'run-operations', intervalMs: tickMs, run: () => this.operations.tick() },
      { name: 'run-backups', intervalMs: tickMs, run: () => this.backups.tick() },
      { name: 'report-unknown-operations', intervalMs: housekeepingMs, run: () => this.operations.reportUnknown() },
      { name: 'start-wanted-servers', intervalMs: tickMs, run: () => this.#startWanted() },
      { name: 'run-pending-cleanups', intervalMs: tickMs, run: runCleanups },
      { name: 'review-node-watchers', intervalMs: tickMs, run: () => this.#reviewWatchers() },
      { name: 'save-console-anchors', intervalMs: housekeepingMs, run: () => this.hub.saveAnchors() },
      { name: 'enforce-disk-limits', intervalMs: diskCheckMs, run: enforceDisk },
      { name: 'hold-disk-limits', intervalMs: diskLimitsTickMs, run: () => diskLimits.tick(this.owned()) },
      { name: 'watch-disk-of-starting-games', intervalMs: settings.diskWatchMs, run: watchStarting },
      { name: 'sweep-consoles', intervalMs: housekeepingMs, run: async () => this.hub.sweep() },
      { name: 'sweep-reservations', intervalMs: housekeepingMs, run: sweep },
      { name: 'sample-metrics', intervalMs: tickMs, run: () => this.#metricsSampler.tick(this.owned()) },
      { name: 'roll-up-metrics', intervalMs: housekeepingMs, run: () => this.#metricsRollUp.tick(this.owned()) },
      { name: 'measure-usage', intervalMs: usageIntervalMs, run: measure },
      { name: 'repair-node-names', intervalMs: housekeepingMs, run: repairNames },
    ];
  }

  /** Ends watchers and leases; games continue, or end first when the configuration says so. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.options.gamesOnShutdown === 'stop') await stopAllGames(this.deps, this.power, this.owned());
    await this.hub.saveAnchors();
    await this.#flushMetrics();
    this.meter.stop();
    await this.#leases?.stop();
    await this.hub.closeAll();
  }

  /** A database that is unavailable does not keep the process from ending. */
  async #flushMetrics(): Promise<void> {
    try {
      await this.#metricsSampler.flush();
    } catch (error) {
      this.options.log.warn({ err: error }, 'the latest usage of servers was not written');
    }
  }

  /** After the last call. */
  async close(): Promise<void> {
    await this.runtimes.close();
  }

  /** Have a node watched by somebody now instead of at the next round: a new node is used at once. */
  async watchNow(node: GameNode): Promise<void> {
    await this.#leases?.take(node);
  }

  /** Look for work at once instead of at the next tick. */
  runNow(): void {
    this.#runJob('run-operations');
    this.#runJob('run-backups');
  }

  /** Look after a new watcher at once, so that its usage figures begin now. */
  reviewNow(): void {
    this.#runJob('review-node-watchers');
  }

  /** Before the jobs are started their first run is to come. */
  #runJob(name: string): void {
    const { jobs } = this.options;
    if (jobs.names().includes(name)) jobs.runNow(name);
  }

  /** End the game of a suspended server; what fails here is tried again by whoever watches the node. */
  stopSuspended(server: GameServer): void {
    if (server.power.state === 'offline') return;
    this.options.tasks.run('suspend', (stopping) =>
      raceAbort(this.power.forceStop(server, this.power.graceMsOf(server)), stopping),
    );
  }

  /** Have the console of a stopped game show its last run, if its engine still has it: why it ended stands there. */
  async attachLastRun(server: GameServer, node: GameNode): Promise<void> {
    const { generation, state } = server.power;
    if (state !== 'offline' || generation === 0 || this.hub.find(server.id)?.isAttached(generation)) return;
    const runtime = this.runtimes.of(node);
    try {
      const late = wait(lastRunTimeoutMs, null, { ref: false });
      const instance = await Promise.race([runtime.inspect(server.id), late]);
      if (instance?.state !== 'exited' || instance.generation !== generation) return;
      await this.hub.attach(runtime, [{ serverId: server.id, generation }]);
      await this.hub.find(server.id)?.readToEnd(lastRunMs);
    } catch (error) {
      this.options.log.debug({ err: error, serverId: server.id }, 'the last run cannot be shown');
    }
  }

  async #startWanted(): Promise<void> {
    const nodes = this.owned();
    if (nodes.length === 0 || this.#isStopping) return;
    const { servers } = this.options.stores;
    const attempt = async (serverId: string, work: () => Promise<void>) =>
      this.deps.attempt('start-wanted-servers', serverId, work);
    // Where the engine is unavailable everything waits: what is wanted is still wanted when it is back.
    const reachable = this.#leases?.reachable() ?? [];
    for (const { id } of await servers.dueForStart(reachable, 16))
      await attempt(id, async () => this.power.startWanted(id));
    for (const { id } of await servers.abandoned(nodes, 16)) await attempt(id, async () => this.power.takeOver(id));
  }

  async #reviewWatchers(): Promise<void> {
    const watched = this.hub.watched();
    if (watched.length === 0) return;
    const states = await this.options.stores.servers.states(watched);
    // Of servers that have moved to a node of another replica.
    const owned = new Set(this.owned());
    this.hub.close(states.filter(({ nodeId }) => !owned.has(nodeId)).map(({ id }) => id));
    this.hub.review(watched, states);
    const running = states.filter(({ power }) => power.state !== 'offline');
    const nodes = await this.options.stores.nodes.getMany([...new Set(running.map(({ nodeId }) => nodeId))]);
    const byId = new Map(nodes.map((node) => [node.id, node]));
    for (const state of running) {
      const node = byId.get(state.nodeId);
      if (node) this.meter.want(state, node);
    }
  }

  #onChange(server: GameServer): void {
    this.hub.find(server.id)?.observe(server);
    this.meter.observe(server);
    // The write that made it run set both times.
    const { state, changedAt } = server.power;
    if (state === 'running' && changedAt.getTime() === server.updatedAt.getTime()) {
      this.options.triggers.fire(server.id, 'server_started');
    }
    if (server.power.state !== 'offline') return;
    this.#ready.forget(server.id);
    this.#features.forget(server.id);
  }

  async #forgetNode(nodeId: string): Promise<void> {
    const states = await this.options.stores.servers.statesOfNode(nodeId);
    this.hub.close(states.map(({ id }) => id));
  }
}
