import { createWindowCounter, type MongoConnection, type WindowCounter } from '@panel/kit/mongo';
import type { Seal } from '@panel/kit/process';
import type { GameServer } from '../domain/servers/server.js';
import { type AllocationStore, createAllocationStore } from './allocations/allocation.js';
import { type ConsoleStore, createConsoleStore } from './console/console.js';
import { createDatabaseHostStore, type DatabaseHostStore } from './databases/database-host.js';
import { createDatabaseStore, type DatabaseStore } from './databases/database.js';
import { createEggStore, type EggStore } from './eggs/egg.js';
import { createMetricsStore, type MetricsStore } from './metrics/metrics.js';
import { createEpochStore, type EpochStore } from './nodes/epoch.js';
import { createLeaseStore, type LeaseStore } from './nodes/lease.js';
import { createNestStore, type NestStore } from './eggs/nest.js';
import { createLeftInstanceStore, type LeftInstanceStore } from './nodes/left-instance.js';
import { createNodeStore, type NodeStore } from './nodes/node.js';
import { createRegistryStore, type RegistryStore } from './registries/registry.js';
import { createReplicaStore, type ReplicaStore } from './nodes/replica.js';
import { createScheduleStore, type ScheduleStore } from './schedules/schedule.js';
import { createServerStore, type ServerStore } from './servers/server.js';
import { createUsageStore, type UsageStore } from './usage/usage-hour.js';

export interface Stores {
  readonly nests: NestStore;
  readonly eggs: EggStore;
  readonly nodes: NodeStore;
  readonly allocations: AllocationStore;
  readonly servers: ServerStore;
  readonly schedules: ScheduleStore;
  readonly databaseHosts: DatabaseHostStore;
  readonly databases: DatabaseStore;
  readonly registries: RegistryStore;
  readonly epochs: EpochStore;
  readonly leases: LeaseStore;
  readonly leftInstances: LeftInstanceStore;
  readonly replicas: ReplicaStore;
  readonly consoles: ConsoleStore;
  readonly metrics: MetricsStore;
  /** By inviting user. */
  readonly invitationCounts: WindowCounter;
  readonly usage: UsageStore;
}

interface StoresOptions {
  readonly clock?: () => Date;
  /** Called after each change by this process. */
  readonly onServerChange?: (server: GameServer) => void;
}

export function createStores(
  connection: MongoConnection,
  seal: Seal,
  { clock = () => new Date(), onServerChange = () => undefined }: StoresOptions = {},
): Stores {
  return {
    nests: createNestStore(connection),
    eggs: createEggStore(connection),
    nodes: createNodeStore(connection, seal),
    allocations: createAllocationStore(connection),
    servers: createServerStore(connection, onServerChange, clock),
    schedules: createScheduleStore(connection),
    databaseHosts: createDatabaseHostStore(connection, seal),
    databases: createDatabaseStore(connection, seal),
    registries: createRegistryStore(connection, seal),
    epochs: createEpochStore(connection),
    leases: createLeaseStore(connection),
    leftInstances: createLeftInstanceStore(connection),
    replicas: createReplicaStore(connection),
    consoles: createConsoleStore(connection),
    metrics: createMetricsStore(connection),
    invitationCounts: createWindowCounter(connection, 'invitation_counts'),
    usage: createUsageStore(connection),
  };
}
