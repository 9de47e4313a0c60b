import type { MongoConnection, Seal } from '@panel/kit';
import type { GameServer } from '../domain/server.js';
import { type AllocationStore, createAllocationStore } from './allocation.js';
import { type ConsoleStore, createConsoleStore } from './console.js';
import { createEggStore, type EggStore } from './egg.js';
import { createLeaseStore, type LeaseStore } from './lease.js';
import { createNestStore, type NestStore } from './nest.js';
import { createNodeStore, type NodeStore } from './node.js';
import { createReplicaStore, type ReplicaStore } from './replica.js';
import { createServerStore, type ServerStore } from './server.js';

/** The collections of this service. */
export interface Stores {
  readonly nests: NestStore;
  readonly eggs: EggStore;
  readonly nodes: NodeStore;
  readonly allocations: AllocationStore;
  readonly servers: ServerStore;
  readonly leases: LeaseStore;
  readonly replicas: ReplicaStore;
  readonly consoles: ConsoleStore;
  /** Be told of every server after a change made by this process. One listener. */
  observe(listener: (server: GameServer) => void): void;
}

export function createStores(connection: MongoConnection, seal: Seal): Stores {
  let observe: (server: GameServer) => void = () => undefined;
  return {
    nests: createNestStore(connection),
    eggs: createEggStore(connection),
    nodes: createNodeStore(connection, seal),
    allocations: createAllocationStore(connection),
    servers: createServerStore(connection, (server) => observe(server)),
    leases: createLeaseStore(connection),
    replicas: createReplicaStore(connection),
    consoles: createConsoleStore(connection),
    observe: (listener) => {
      observe = listener;
    },
  };
}
