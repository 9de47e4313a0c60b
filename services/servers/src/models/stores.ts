import type { MongoConnection, Seal } from '@panel/kit';
import type { GameServer } from '../domain/servers/server.js';
import { HotReads } from '../hot-reads.js';
import { type ActivityOutbox, createActivityOutbox } from './activity-outbox.js';
import { type AllocationStore, createAllocationStore } from './allocations/allocation.js';
import { type ConsoleStore, createConsoleStore } from './console/console.js';
import { createEggStore, type EggStore } from './eggs/egg.js';
import { createLeaseStore, type LeaseStore } from './nodes/lease.js';
import { createNestStore, type NestStore } from './eggs/nest.js';
import { createNodeStore, type NodeStore } from './nodes/node.js';
import { createReplicaStore, type ReplicaStore } from './nodes/replica.js';
import { createServerStore, type ServerStore } from './servers/server.js';

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
  readonly activity: ActivityOutbox;
  /** Answers about servers; every write to what they are made of drops them. */
  readonly hotReads: HotReads;
  /** Be told of every server after a change made by this process. One listener. */
  observe(listener: (server: GameServer) => void): void;
}

export function createStores(connection: MongoConnection, seal: Seal): Stores {
  let observe: (server: GameServer) => void = () => undefined;
  const hotReads = new HotReads();
  const forgetAll = () => hotReads.drop(null);
  return {
    nests: createNestStore(connection),
    eggs: createEggStore(connection),
    nodes: forgetting(createNodeStore(connection, seal), forgetAll),
    allocations: createAllocationStore(connection, forgetAll),
    servers: createServerStore(
      connection,
      (server) => observe(server),
      (id) => hotReads.drop(id),
    ),
    leases: createLeaseStore(connection),
    replicas: createReplicaStore(connection),
    consoles: createConsoleStore(connection),
    activity: createActivityOutbox(connection),
    hotReads,
    observe: (listener) => {
      observe = listener;
    },
  };
}

/** A node's name is shown with its servers. Its health is too, but changes all the time and may be half a second old. */
function forgetting(nodes: NodeStore, forget: () => void): NodeStore {
  return {
    ...nodes,
    update: async (...change) => {
      try {
        return await nodes.update(...change);
      } finally {
        forget();
      }
    },
  };
}
