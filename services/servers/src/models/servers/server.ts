import { defineModel, duplicateIndex, type MongoConnection } from '@panel/kit/mongo';
import type { NodeName } from '../../domain/nodes/node.js';
import type { GameServer, ServerView } from '../../domain/servers/server.js';
import { currentSubusers } from '../../domain/subusers/subuser.js';
import { fail } from '../../reasons.js';
import { BatchedReads } from '../batched-reads.js';
import { encodeEggView } from './egg-view.js';
import { findOnce } from '../find-once.js';
import { maxQueryMs } from '../fields.js';
import {
  createConditionalUpdate,
  createTouch,
  serverOf,
  type ServerFilter,
  type ServerObserver,
} from './conditional-update.js';
import { trigramsOf } from './name-search.js';
import { type BackupRunStore, createBackupRunStore } from './server-backups.js';
import { createServerEggStore, type ServerEggStore } from './server-eggs.js';
import { createOperationStore, type OperationStore } from './server-operations.js';
import { type UpdateStore, createUpdateStore } from './server-updates.js';
import { createPowerStore, type PowerStore } from './server-power.js';
import { createTransferStore, type TransferStore } from './server-transfers.js';
import { createServerList, type ListServers } from './server-list.js';
import { serverSchema } from './server-schema.js';
import { createSubuserStore, type SubuserStore } from './server-subusers.js';
import { ServerViewReader } from './server-views.js';

/** What the resources of a server are shown from. */
export type MeteredServer = Pick<GameServer, 'id' | 'userId' | 'subusers' | 'nodeId' | 'suspended'> & {
  readonly power: Pick<GameServer['power'], 'state' | 'generation'>;
};

/** What the watcher of a node compares with its engine. */
export type ServerState = Pick<
  GameServer,
  'id' | 'userId' | 'subusers' | 'nodeId' | 'limits' | 'suspended' | 'install' | 'power' | 'crash' | 'operation'
>;

export interface ServerStore {
  readonly power: PowerStore;
  readonly operations: OperationStore;
  readonly updates: UpdateStore;
  readonly transfers: TransferStore;
  readonly subusers: SubuserStore;
  readonly backups: BackupRunStore;
  readonly eggs: ServerEggStore;
  /** Throws EXTERNAL_ID_TAKEN; false when the short id exists (choose another id). */
  create(server: GameServer): Promise<boolean>;
  get(serverId: string): Promise<GameServer | null>;
  /** The same, joined with others that are asked for at the same time: see BatchedReads. */
  getJoined(serverId: string): Promise<GameServer | null>;
  /** The id of the server whose id begins so. */
  findIdByShortId(uuidShort: string): Promise<string | null>;
  /** One to show. Joined with others that are asked for at the same time: see BatchedReads. */
  getView(serverId: string): Promise<ServerView | null>;
  /** What the resources of one are shown from. Joined, too. */
  getMetered(serverId: string): Promise<MeteredServer | null>;
  readonly list: ListServers;
  /** The notes of these servers, by allocation. */
  notes(serverIds: readonly string[]): Promise<Map<string, string>>;
  /** Have servers of a node carry its name, unless they carry a newer one; all of them, or one. */
  setNodeName(nodeId: string, name: NodeName, serverId?: string): Promise<void>;
  exists(serverId: string): Promise<boolean>;
  /** The states of some servers. */
  states(serverIds: readonly string[]): Promise<ServerState[]>;
  /** The states of all servers of a node. */
  statesOfNode(nodeId: string): Promise<ServerState[]>;
  /** Those of the ids that servers have, wherever these are, and the node of each. */
  nodesOf(serverIds: readonly string[]): Promise<Map<string, string>>;
  /** The states of the servers of some nodes that are not offline. */
  activeStatesOfNodes(nodeIds: readonly string[]): Promise<ServerState[]>;
  /** Servers of some nodes that run, by id and node only. */
  runningOfNodes(nodeIds: readonly string[]): Promise<{ readonly id: string; readonly nodeId: string }[]>;
  idsOfNode(nodeId: string): Promise<string[]>;
  /** The disk limits of the servers of a node; 0: none. */
  diskLimitsOfNode(nodeId: string): Promise<{ readonly id: string; readonly diskMb: number }[]>;
  /** The states of metered servers of some nodes. */
  meteredStatesOfNodes(nodeIds: readonly string[]): Promise<ServerState[]>;
  /** Servers of these nodes that want to run, do not, and may be started now. */
  dueForStart(nodeIds: readonly string[], limit: number): Promise<ServerState[]>;
  /** Servers of these nodes whose power action has lost its worker. */
  abandoned(nodeIds: readonly string[], limit: number): Promise<ServerState[]>;
  /** Number of servers by owner. */
  countByOwner(userIds: readonly string[]): Promise<Map<string, number>>;
  delete(serverId: string): Promise<void>;
}

const stateFields = {
  limits: 1,
  userId: 1,
  subusers: 1,
  nodeId: 1,
  suspended: 1,
  install: 1,
  power: 1,
  crash: 1,
  operation: 1,
} as const;

export function createServerStore(
  connection: MongoConnection,
  observe: ServerObserver,
  clock = (): Date => new Date(),
): ServerStore {
  const model = defineModel(connection, 'Server', serverSchema, 'servers');
  const change = createConditionalUpdate(model, observe, clock);
  const touch = createTouch(model);
  const readStates = async (filter: ServerFilter, limit = 0): Promise<ServerState[]> => {
    const found = await model.find(filter, stateFields).limit(limit).maxTimeMS(maxQueryMs).lean();
    const at = clock();
    // Of a damaged one nothing can be decided: it is left alone, and lists show it to staff as broken.
    return found.filter(isWhole).map(({ _id, subusers, ...fields }) => ({
      id: _id,
      ...fields,
      subusers: currentSubusers(subusers, at),
    }));
  };
  const findIds = async (filter: ServerFilter): Promise<string[]> => {
    const found = await model.find(filter, { _id: 1 }).maxTimeMS(maxQueryMs).lean();
    return found.map(({ _id }) => _id);
  };
  const viewReader = new ServerViewReader(model, clock);
  const views = new BatchedReads(async (serverIds) => viewReader.read(serverIds));
  const whole = new BatchedReads(async (serverIds) => {
    const found = await model
      .find({ _id: { $in: [...serverIds] } })
      .maxTimeMS(maxQueryMs)
      .lean();
    return new Map(found.map((document) => [document._id, serverOf(document, clock())]));
  });
  const metered = new BatchedReads(async (serverIds) => {
    const found = await findOnce<Omit<MeteredServer, 'id'> & { readonly _id: string }>(model, {
      filter: { _id: { $in: [...serverIds] } },
      projection: { userId: 1, subusers: 1, nodeId: 1, suspended: 1, 'power.state': 1, 'power.generation': 1 },
      limit: serverIds.length,
    });
    const at = clock();
    return new Map(
      found.map(({ _id, subusers, ...fields }) => [
        _id,
        { id: _id, ...fields, subusers: currentSubusers(subusers, at) },
      ]),
    );
  });
  return {
    power: createPowerStore(change, touch, findIds),
    operations: createOperationStore(model, change, touch),
    updates: createUpdateStore(change, touch),
    transfers: createTransferStore(model, change, touch, clock),
    backups: createBackupRunStore(model, change, touch),
    eggs: createServerEggStore(model, change, clock),
    create: async ({ id, ...fields }) => {
      try {
        const name = { nameKey: fields.name.toLowerCase(), nameTrigrams: trigramsOf(fields.name) };
        const egg = { ...fields.egg, view: encodeEggView(fields.egg) };
        await model.create({ _id: id, ...name, ...fields, egg, viewerIds: [fields.userId] });
        return true;
      } catch (error) {
        const index = duplicateIndex(error);
        if (index === 'server_uuid_short') return false;
        if (index !== 'server_external_id') throw error;
        throw fail('EXTERNAL_ID_TAKEN', 'another server has this external id', {}, { cause: error });
      }
    },
    getJoined: async (serverId) => whole.read(serverId),
    get: async (serverId) => {
      const found = await model.findById(serverId).maxTimeMS(maxQueryMs).lean();
      return found && serverOf(found, clock());
    },
    findIdByShortId: async (uuidShort) => {
      const found = await model.findOne({ uuidShort }, { _id: 1 }).maxTimeMS(maxQueryMs).lean();
      return found?._id ?? null;
    },
    getMetered: async (serverId) => metered.read(serverId),
    getView: async (serverId) => views.read(serverId),
    subusers: createSubuserStore(model, change, connection),
    list: createServerList(model, viewReader),
    notes: async (serverIds) => {
      const found = await model
        .find({ _id: { $in: [...serverIds] } }, { allocations: 1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return new Map(found.flatMap(({ allocations }) => allocations.map(({ id, notes }) => [id, notes])));
    },
    setNodeName: async (nodeId, { name, revision }, serverId) => {
      const filter = {
        nodeId,
        nodeNameRevision: { $lt: revision },
        ...(serverId === undefined ? {} : { _id: serverId }),
      };
      await model.updateMany(filter, { $set: { nodeName: name, nodeNameRevision: revision } });
    },
    exists: async (serverId) => (await model.exists({ _id: serverId })) !== null,
    states: (serverIds) => readStates({ _id: { $in: [...serverIds] } }),
    statesOfNode: (nodeId) => readStates({ nodeId }),
    nodesOf: async (serverIds) => {
      const found = await model
        .find({ _id: { $in: [...serverIds] } }, { nodeId: 1 })
        .maxTimeMS(maxQueryMs)
        .lean<{ _id: string; nodeId: string }[]>();
      return new Map(found.map(({ _id, nodeId }) => [_id, nodeId]));
    },
    activeStatesOfNodes: (nodeIds) =>
      readStates({ nodeId: { $in: [...nodeIds] }, 'power.state': { $in: ['starting', 'running', 'stopping'] } }),
    runningOfNodes: async (nodeIds) => {
      const found = await model
        .find({ nodeId: { $in: [...nodeIds] }, 'power.state': { $in: ['running', 'stopping'] } }, { nodeId: 1 })
        .maxTimeMS(maxQueryMs)
        .lean<{ _id: string; nodeId: string }[]>();
      return found.map(({ _id, nodeId }) => ({ id: _id, nodeId }));
    },
    idsOfNode: async (nodeId) => {
      const found = await model.find({ nodeId }, { _id: 1 }).maxTimeMS(maxQueryMs).lean<{ _id: string }[]>();
      return found.map(({ _id }) => _id);
    },
    diskLimitsOfNode: async (nodeId) => {
      const found = await model
        .find({ nodeId }, { 'limits.diskMb': 1 })
        .maxTimeMS(maxQueryMs)
        .lean<{ _id: string; limits: { diskMb: number } }[]>();
      return found.map(({ _id, limits }) => ({ id: _id, diskMb: limits.diskMb }));
    },
    meteredStatesOfNodes: (nodeIds) => readStates({ nodeId: { $in: [...nodeIds] }, isMetered: true }),
    dueForStart: (nodeIds, limit) =>
      readStates(
        {
          nodeId: { $in: [...nodeIds] },
          status: 'offline',
          'power.desired': 'running',
          'install.state': 'installed',
          $and: [
            { $or: [{ 'crash.restartAt': null }, { $expr: { $lt: ['$crash.restartAt', '$$NOW'] } }] },
            { $or: [{ 'power.lease': null }, { $expr: { $lt: ['$power.lease.expiresAt', '$$NOW'] } }] },
          ],
        },
        limit,
      ),
    abandoned: (nodeIds, limit) =>
      readStates(
        {
          nodeId: { $in: [...nodeIds] },
          'power.lease.expiresAt': { $type: 'date' },
          $expr: { $lt: ['$power.lease.expiresAt', '$$NOW'] },
        },
        limit,
      ),
    countByOwner: async (userIds) => {
      const groups = await model.aggregate<{ _id: string; count: number }>([
        { $match: { userId: { $in: [...userIds] } } },
        { $group: { _id: '$userId', count: { $sum: 1 } } },
      ]);
      return new Map(groups.map(({ _id, count }) => [_id, count]));
    },
    delete: async (serverId) => void (await model.deleteOne({ _id: serverId })),
  };
}

/** Whether the state of a server is there to be read: records can lose parts of it. */
function isWhole(state: { readonly power: object; readonly limits: object }): boolean {
  const parts: readonly unknown[] = [state.power, state.limits];
  return parts.every((part) => typeof part === 'object' && part !== null);
}
