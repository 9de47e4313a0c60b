import { setMaxListeners } from 'node:events';
import type { Job } from '@panel/kit/process';
import { MailServiceService } from '@panel/protos/admin';
import { ProductServiceService } from '@panel/protos/billing';
import { UserServiceService } from '@panel/protos/identity';
import type { Connection, ServiceBase } from '@panel/rpc';
import type { ServersConfig } from '../config.js';
import type { ServersContext } from '../context.js';
import { createBoundedLimiter, CreationQueue } from '../creation-queue.js';
import { createDatabaseJobs } from '../database-engines/database-jobs.js';
import type { GameServer } from '../domain/servers/server.js';
import { stopAllGames } from '../games/stop-all.js';
import { FleetMetrics } from '../metrics/fleet-metrics.js';
import { LeaseKeeper } from '../nodes/lease-keeper.js';
import { NodeWatcher } from '../nodes/node-watcher.js';
import type { OperationControl } from '../operations/operation.js';
import { createReferenceJobs } from '../references/reference-jobs.js';
import { createSubuserJobs } from '../users/subuser-jobs.js';
import { createUserDirectory } from '../users/user-directory.js';
import { createUserExists } from '../users/user-exists.js';
import { createDatabaseRooms } from './database-rooms.js';
import { createFoundation, type Foundation } from './foundation.js';
import { createGameJobs } from './game-jobs.js';
import { createGameRooms, type GameRooms } from './game-rooms.js';
import type { Overrides } from './overrides.js';
import { createScheduleRooms, createTriggerRooms } from './schedule-rooms.js';

const scheduleTickMs = 1_000;
const playerRefreshMs = 5_000;

/** Builds, starts and stops the process's components; provides the context of handlers and use cases. */
export class Orchestrator {
  readonly context: ServersContext;
  readonly #parts: Foundation;
  readonly #rooms: GameRooms;
  readonly #databases: ReturnType<typeof createDatabaseRooms>;
  readonly #triggers: ReturnType<typeof createTriggerRooms>;
  readonly #schedules: ReturnType<typeof createScheduleRooms>;
  readonly #fleet: FleetMetrics;
  #leases: LeaseKeeper | null = null;
  #isStopping = false;

  constructor(config: ServersConfig, base: ServiceBase, installationId: string, overrides: Overrides = {}) {
    // Each action and operation listens for the shutdown.
    setMaxListeners(0, base.tasks.signal);
    this.#fleet = new FleetMetrics(base.metrics);
    this.#parts = createFoundation(config, base, { installationId, overrides }, (server) => this.#onChange(server));
    this.#databases = createDatabaseRooms(this.#parts);
    this.#triggers = createTriggerRooms(this.#parts);
    const { backupDumps } = this.#databases;
    this.#rooms = createGameRooms(this.#parts, {
      ...this.#triggers,
      backupDumps,
      owned: () => this.#owned(),
      current: () => this.#leases?.current() ?? [],
    });
    const { power, runtimes, commandLimiter } = this.#rooms;
    const operations = this.#createOperationControl();
    this.#schedules = createScheduleRooms(this.#parts, { power, runtimes, operations, commandLimiter });
    this.context = this.#createContext(operations);
  }

  #createOperationControl(): OperationControl {
    return {
      runNow: () => {
        this.#parts.jobs.runNow('run-operations');
        this.#parts.jobs.runNow('run-backups');
      },
      cancel: (serverId) => this.#rooms.operations.cancel(serverId),
    };
  }

  #createContext(operations: OperationControl): ServersContext {
    const { config, base, guard, identity, billing, ...parts } = this.#parts;
    const { stores, files, log, activity, grants, failpoint, clock, installationClock } = parts;
    const { hub, meter, commandLimiter, power, runtimes, deps } = this.#rooms;
    const { deps: databaseDeps, dumps, worker, sizes } = this.#databases;
    const { timezone, backupsPerMinute, keepsBackups, invitationLimit, allowsProcessNodes } = config;
    const users = identity.client(UserServiceService);
    return {
      stores,
      files,
      log,
      activity,
      grants,
      failpoint,
      clock,
      installationClock,
      timezone,
      backupsPerMinute,
      keepsBackups,
      invitationLimit,
      hub,
      meter,
      commandLimiter,
      power,
      runtimes,
      operations,
      ...this.#triggers,
      schedules: this.#schedules.runner,
      reviewConsolesNow: () => this.#parts.jobs.runNow('review-node-watchers'),
      nodeLeases: () => this.#leases,
      replicaId: deps.owner,
      workTtlMs: deps.settings.workTtlMs,
      databaseEngines: databaseDeps.databaseEngines,
      databaseLeaseMs: databaseDeps.databaseLeaseMs,
      databaseWorker: worker,
      databaseSizes: sizes,
      databaseDumps: dumps,
      nodePolicy: { allowsProcessNodes, isAllowedAddress: guard.isAllowed },
      userExists: createUserExists(users),
      users: createUserDirectory(users),
      products: billing?.client(ProductServiceService) ?? null,
      creationQueue: new CreationQueue({ concurrency: 1, maxWaiting: 60 }),
      placementQueue: createBoundedLimiter({ concurrency: 4, maxWaiting: 60 }),
      replica: once((address) => base.connectTo(address, { streams: 'events' })),
    };
  }

  /** Jobs that need no own address. */
  createJobs(): Job[] {
    const { config, base, stores, activity, admin, outboxMetrics: metrics, clock, log, attempt } = this.#parts;
    const { installationClock } = this.#parts;
    const { users } = this.context;
    const { invitationCheckMs } = config;
    const mail = admin?.client(MailServiceService) ?? null;
    const { runner } = this.#schedules;
    return [
      ...activity.jobs,
      ...createSubuserJobs({ stores, users, mail, metrics, clock: installationClock, log, invitationCheckMs, attempt }),
      { name: 'run-schedules', intervalMs: scheduleTickMs, run: (signal) => runner.tick(signal, config.testClock) },
      {
        name: 'refresh-player-watch',
        intervalMs: playerRefreshMs,
        isTimed: false,
        run: () => this.#triggers.players.refresh(),
      },
      this.#fleet.createJob({ ...stores, clock }),
      ...createReferenceJobs({ stores, users, activity, log }, base, config.referenceCheckMs),
      ...createDatabaseJobs(
        { ...this.#databases.deps, activity, attempt },
        this.#databases.worker,
        config.databaseReconcileMs,
      ),
    ];
  }

  /** Watches nodes; `address` is for other replicas. */
  start(address: string): void {
    const { jobs, tasks, stores, log, attempt, config } = this.#parts;
    const { deps, power } = this.#rooms;
    const { leases: leaseStore, replicas, nodes } = stores;
    const ttlMs = config.leaseTtlMs;
    const watch: ConstructorParameters<typeof LeaseKeeper>[0]['watch'] = (node) =>
      new NodeWatcher(deps, power, node, config.reconcileMs);
    const onLost = async (nodeId: string) => this.#forgetNode(nodeId);
    const leases = new LeaseKeeper(
      { owner: deps.owner, ttlMs, leases: leaseStore, replicas, nodes, log, attempt, watch, onLost },
      address,
    );
    this.#leases = leases;
    tasks.run('keys', () => this.#sealKeys());
    jobs.start([
      { name: 'keep-node-leases', intervalMs: Math.floor(ttlMs / 3), isTimed: false, run: () => leases.tick() },
    ]);
    const owned = () => leases.owned();
    const reachable = () => leases.reachable();
    const current = () => leases.current();
    jobs.start(
      createGameJobs(this.#parts, this.#rooms, { owned, reachable, current, isStopping: () => this.#isStopping }),
    );
  }

  async #sealKeys(): Promise<void> {
    const { stores, log } = this.#parts;
    const count = await stores.nodes.sealKeys();
    if (count > 0) log.info({ count }, 'keys of nodes were sealed');
    const passwords = (await stores.databaseHosts.sealPasswords()) + (await stores.databases.sealPasswords());
    if (passwords > 0) log.info({ count: passwords }, 'passwords of databases were sealed');
    const secrets = await stores.registries.sealSecrets();
    if (secrets > 0) log.info({ count: secrets }, 'credentials of registries were sealed');
  }

  /** Ends watchers and leases. Games continue or end, by configuration. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const { deps, power, hub, meter } = this.#rooms;
    if (this.#parts.config.gamesOnShutdown === 'stop') await stopAllGames(deps, power, this.#owned());
    await hub.saveAnchors();
    await this.#flushMetrics();
    meter.stop();
    await this.#leases?.stop();
    await hub.closeAll();
  }

  /** A database outage must not block the shutdown. */
  async #flushMetrics(): Promise<void> {
    try {
      await this.#rooms.sampler.flush();
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the latest usage of servers was not written');
    }
  }

  /** After the last call. */
  async close(): Promise<void> {
    this.#rooms.commandLimiter.close();
    await this.#rooms.runtimes.close();
  }

  #owned(): string[] {
    return this.#leases?.owned() ?? [];
  }

  #onChange(server: GameServer): void {
    this.#fleet.observe(server);
    const { hub, meter, ready, features } = this.#rooms;
    hub.find(server.id)?.observe(server);
    meter.observe(server);
    // The write that sets running sets both times.
    const { state, changedAt } = server.power;
    if (state === 'running' && changedAt.getTime() === server.updatedAt.getTime()) {
      this.#triggers.triggers.fire(server.id, 'server_started');
    }
    if (server.power.state !== 'offline') return;
    ready.forget(server.id);
    features.forget(server.id);
  }

  async #forgetNode(nodeId: string): Promise<void> {
    const states = await this.#parts.stores.servers.statesOfNode(nodeId);
    this.#rooms.hub.close(states.map(({ id }) => id));
  }
}

/** One connection per replica. */
function once(open: (address: string) => Connection): (address: string) => Connection {
  const connections = new Map<string, Connection>();
  return (address) => {
    let connection = connections.get(address);
    if (!connection) {
      connection = open(address);
      connections.set(address, connection);
    }
    return connection;
  };
}
