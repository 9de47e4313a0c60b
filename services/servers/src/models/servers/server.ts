import { BatchedReads, defineModel, duplicateIndex, type MongoConnection } from '@panel/kit/mongo';
import type { NodeName } from '../../domain/nodes/node.js';
import { firstFence } from '../../domain/servers/new-server.js';
import type { ServerPlace } from '../../domain/nodes/node-report.js';
import type { GameServer, ServerView } from '../../domain/servers/server.js';
import { currentSubusers } from '../../domain/subusers/subuser.js';
import { fail } from '../../reasons.js';
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
import { viewerNameGramsOf } from './viewer-name-grams.js';
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

export type MeteredServer = Pick<GameServer, 'id' | 'userId' | 'subusers' | 'nodeId' | 'suspended'> & {
  readonly power: Pick<GameServer['power'], 'state' | 'generation'>;
};

export type ServerState = Pick<
  GameServer,
  'id' | 'userId' | 'subusers' | 'nodeId' | 'limits' | 'suspended' | 'install' | 'power' | 'crash' | 'operation'
>;

export type RunningServer = Pick<GameServer, 'id' | 'userId' | 'nodeId'>;

export interface ServerStore {
  readonly power: PowerStore;
  readonly operations: OperationStore;
  readonly updates: UpdateStore;
  readonly transfers: TransferStore;
  readonly subusers: SubuserStore;
  readonly backups: BackupRunStore;
  readonly eggs: ServerEggStore;
  /** False: choose another short id. Throws EXTERNAL_ID_TAKEN. */
  create(server: GameServer): Promise<boolean>;
  get(serverId: string): Promise<GameServer | null>;
  /** See BatchedReads. */
  getJoined(serverId: string): Promise<GameServer | null>;
  findIdByShortId(uuidShort: string): Promise<string | null>;
  /** See BatchedReads. */
  getView(serverId: string): Promise<ServerView | null>;
  /** See BatchedReads. */
  getMetered(serverId: string): Promise<MeteredServer | null>;
  readonly list: ListServers;
  /** By allocation id. */
  notes(serverIds: readonly string[]): Promise<Map<string, string>>;
  /** One or all; newer names stay. */
  setNodeName(nodeId: string, name: NodeName, serverId?: string): Promise<void>;
  exists(serverId: string): Promise<boolean>;
  states(serverIds: readonly string[]): Promise<ServerState[]>;
  statesOfNode(nodeId: string): Promise<ServerState[]>;
  /** The existing ids. */
  nodesOf(serverIds: readonly string[]): Promise<Map<string, string>>;
  /** The existing ones, with what may need files on another node. */
  places(serverIds: readonly string[]): Promise<ServerPlace[]>;
  /** Installed, by id, exclusive. */
  installedOnNode(nodeId: string, afterId: string, limit: number): Promise<ServerPlace[]>;
  activeStatesOfNodes(nodeIds: readonly string[]): Promise<ServerState[]>;
  runningOfNodes(nodeIds: readonly string[]): Promise<RunningServer[]>;
  idsOfNode(nodeId: string): Promise<string[]>;
  /** 0: none. */
  diskLimitsOfNode(nodeId: string): Promise<{ readonly id: string; readonly diskMb: number }[]>;
  meteredStatesOfNodes(nodeIds: readonly string[]): Promise<ServerState[]>;
  /** Wanted, offline and due. */
  dueForStart(nodeIds: readonly string[], limit: number): Promise<ServerState[]>;
  /** With a power action of a dead worker. */
  abandoned(nodeIds: readonly string[], limit: number): Promise<ServerState[]>;
  /** Of these, starts and restarts with nothing left to stop. */
  abandonedStarts(nodeIds: readonly string[], limit: number): Promise<ServerState[]>;
  /** By owner id. */
  countByOwner(userIds: readonly string[]): Promise<Map<string, number>>;
  /** One index; statuses without servers are absent. */
  countByStatus(): Promise<Map<string, number>>;
  delete(serverId: string): Promise<void>;
  /** Only before a worker has claimed its installation, which would leave files, or its first start; false: claimed. */
  deleteUnclaimed(serverId: string): Promise<boolean>;
}

interface RawPlace {
  readonly _id: string;
  readonly name: string;
  readonly nodeId: string;
  readonly operation?: { readonly transfer?: { readonly targetNodeId?: string } | null } | null;
  readonly pendingCleanups?: readonly { readonly nodeId: string }[];
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
  const change = createConditionalUpdate(model, clock, observe);
  const changeSettings = createConditionalUpdate(model, clock);
  const touch = createTouch(model);
  const readPlaces = async (filter: ServerFilter, limit: number): Promise<ServerPlace[]> => {
    if (limit === 0) return [];
    const fields = { name: 1, nodeId: 1, 'operation.transfer.targetNodeId': 1, 'pendingCleanups.nodeId': 1 };
    const query = model.find(filter, fields).sort({ _id: 1 }).limit(limit).maxTimeMS(maxQueryMs);
    return (await query.lean<RawPlace[]>()).map(({ _id: id, name, nodeId, operation, pendingCleanups }) => {
      const target = operation?.transfer?.targetNodeId;
      const cleanups = (pendingCleanups ?? []).map((cleanup) => cleanup.nodeId);
      return { id, name, nodeId, busyNodeIds: target === undefined ? cleanups : [target, ...cleanups] };
    });
  };
  const readStates = async (filter: ServerFilter, limit = 0): Promise<ServerState[]> => {
    const found = await model.find(filter, stateFields).limit(limit).maxTimeMS(maxQueryMs).lean();
    const at = clock();
    // Staff see damaged records in lists.
    return found.filter(isWhole).map(({ _id, subusers, ...fields }) => ({
      id: _id,
      ...fields,
      subusers: currentSubusers(subusers, at),
    }));
  };
  /** Asks nothing without nodes: jobs do so every second. */
  const statesOfNodes = async (nodeIds: readonly string[], filter: ServerFilter, limit = 0) =>
    nodeIds.length === 0 ? [] : readStates({ nodeId: { $in: [...nodeIds] }, ...filter }, limit);
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
    updates: createUpdateStore(change, changeSettings, touch),
    transfers: createTransferStore(model, change, touch, clock),
    backups: createBackupRunStore(model, change, touch),
    eggs: createServerEggStore(model, change, clock),
    create: async ({ id, ...fields }) => {
      try {
        const nameTrigrams = trigramsOf(fields.name);
        const viewerIds = [fields.userId];
        const viewerNameGrams = viewerNameGramsOf(viewerIds, nameTrigrams);
        const found = { nameKey: fields.name.toLowerCase(), nameTrigrams, viewerIds, viewerNameGrams };
        const egg = { ...fields.egg, view: encodeEggView(fields.egg) };
        await model.create({ _id: id, ...found, ...fields, egg });
        return true;
      } catch (error) {
        const index = duplicateIndex(error);
        if (index === 'server_uuid_short' || index === '_id_') return false;
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
    places: async (serverIds) => readPlaces({ _id: { $in: [...serverIds] } }, serverIds.length),
    installedOnNode: async (nodeId, afterId, limit) =>
      readPlaces({ nodeId, 'install.state': 'installed', operation: null, _id: { $gt: afterId } }, limit),
    activeStatesOfNodes: (nodeIds) =>
      statesOfNodes(nodeIds, { 'power.state': { $in: ['starting', 'running', 'stopping'] } }),
    runningOfNodes: async (nodeIds) => {
      const found = await model
        .find(
          { nodeId: { $in: [...nodeIds] }, 'power.state': { $in: ['running', 'stopping'] } },
          { nodeId: 1, userId: 1 },
        )
        .maxTimeMS(maxQueryMs)
        .lean<(Omit<RunningServer, 'id'> & { readonly _id: string })[]>();
      return found.map(({ _id, nodeId, userId }) => ({ id: _id, nodeId, userId }));
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
    meteredStatesOfNodes: (nodeIds) => statesOfNodes(nodeIds, { isMetered: true }),
    dueForStart: (nodeIds, limit) =>
      statesOfNodes(
        nodeIds,
        {
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
    abandoned: (nodeIds, limit) => statesOfNodes(nodeIds, abandonedPower, limit),
    abandonedStarts: (nodeIds, limit) =>
      statesOfNodes(
        nodeIds,
        {
          ...abandonedPower,
          'power.state': { $ne: 'stopping' },
          'power.lease.action': { $in: ['start', 'restart'] },
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
    countByStatus: async () => {
      const groups = await model
        .aggregate<{ _id: string; count: number }>([
          { $match: { status: { $gt: '' } } },
          { $group: { _id: '$status', count: { $sum: 1 } } },
        ])
        .hint('server_status')
        .option({ maxTimeMS: maxQueryMs });
      return new Map(groups.map(({ _id, count }) => [_id, count]));
    },
    delete: async (serverId) => void (await model.deleteOne({ _id: serverId })),
    deleteUnclaimed: async (serverId) => {
      const isNew = { 'operation.kind': 'installing', 'operation.fence': firstFence } as const;
      const isAdopted = { operation: null, 'install.at': null, 'power.generation': 0 } as const;
      return (await model.deleteOne({ _id: serverId, $or: [isNew, isAdopted] })).deletedCount === 1;
    },
  };
}

/** Records can lose parts. */
function isWhole(state: { readonly power: object; readonly limits: object }): boolean {
  const parts: readonly unknown[] = [state.power, state.limits];
  return parts.every((part) => typeof part === 'object' && part !== null);
}

const abandonedPower: ServerFilter = {
  'power.lease.expiresAt': { $type: 'date' },
  $expr: { $lt: ['$power.lease.expiresAt', '$$NOW'] },
};
