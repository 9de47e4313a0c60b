import { defineModel, duplicateIndex, type MongoConnection, type PageQuery } from '@panel/kit';
import type { GameServer, ServerStatus, ShownServer } from '../domain/server.js';
import { fail } from '../reasons.js';
import { maxQueryMs } from './fields.js';
import { createChange, createTouch, serverOf, type ServerFilter, type ServerObserver } from './server-change.js';
import { gramsOf, nameContains } from './name-search.js';
import { createOperationStore, type OperationStore } from './server-operations.js';
import { type ChangeStore, createChangeStore } from './server-changes.js';
import { createPowerStore, type PowerStore } from './server-power.js';
import { createTransferStore, type TransferStore } from './server-transfers.js';
import { type ServerDocument, serverSchema, sortIndexes } from './server-schema.js';
import { watchWrites, type WriteObserver } from './watch-writes.js';

export interface ServerFilters {
  /** Null means all owners. */
  readonly userId: string | null;
  readonly status: ServerStatus | null;
}

/** What the watcher of a node compares with its engine. */
export type ServerState = Pick<
  GameServer,
  'id' | 'userId' | 'nodeId' | 'limits' | 'suspended' | 'install' | 'power' | 'crash' | 'operation'
>;

export interface ServerStore {
  readonly power: PowerStore;
  readonly operations: OperationStore;
  readonly changes: ChangeStore;
  readonly transfers: TransferStore;
  /** Throws EXTERNAL_ID_TAKEN; false when the short id exists (choose another id). */
  create(server: GameServer): Promise<boolean>;
  get(serverId: string): Promise<GameServer | null>;
  /** One to show. */
  look(serverId: string): Promise<ShownServer | null>;
  list(filters: ServerFilters, page: PageQuery): Promise<{ servers: ShownServer[]; total: number }>;
  exists(serverId: string): Promise<boolean>;
  /** The states of some servers. */
  states(serverIds: readonly string[]): Promise<ServerState[]>;
  /** The states of all servers of a node. */
  statesOfNode(nodeId: string): Promise<ServerState[]>;
  /** Servers of these nodes that want to run, do not, and may be started now. */
  dueForStart(nodeIds: readonly string[], limit: number): Promise<ServerState[]>;
  /** Servers of these nodes whose power action has lost its worker. */
  abandoned(nodeIds: readonly string[], limit: number): Promise<ServerState[]>;
  /** Number of servers by owner. */
  countByOwner(userIds: readonly string[]): Promise<Map<string, number>>;
  delete(serverId: string): Promise<void>;
}

/** Install scripts and configuration files can be large, and nobody is shown them. */
const shownFields = { 'egg.script': 0, 'egg.config': 0, nameGrams: 0 } as const;

const stateFields = {
  limits: 1,
  userId: 1,
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
  onWrite: WriteObserver,
): ServerStore {
  const model = defineModel(connection, 'Server', watchWrites(serverSchema, onWrite), 'servers');
  const change = createChange(model, observe);
  const touch = createTouch(model);
  const readStates = async (filter: ServerFilter, limit = 0): Promise<ServerState[]> => {
    const found = await model.find(filter, stateFields).limit(limit).maxTimeMS(maxQueryMs).lean();
    return found.map(({ _id, ...fields }) => ({ id: _id, ...fields }));
  };
  return {
    power: createPowerStore(change, touch),
    operations: createOperationStore(model, change, touch),
    changes: createChangeStore(change),
    transfers: createTransferStore(model, change, touch),
    create: async ({ id, ...fields }) => {
      try {
        const name = { nameKey: fields.name.toLowerCase(), nameGrams: gramsOf(fields.name) };
        await model.create({ _id: id, ...name, ...fields });
        return true;
      } catch (error) {
        const index = duplicateIndex(error);
        if (index === 'server_uuid_short') return false;
        if (index !== 'server_external_id') throw error;
        throw fail('EXTERNAL_ID_TAKEN', 'another server has this external id', {}, { cause: error });
      }
    },
    get: async (serverId) => {
      const found = await model.findById(serverId).maxTimeMS(maxQueryMs).lean();
      return found && serverOf(found);
    },
    look: async (serverId) => {
      const found = await model.findById(serverId, shownFields).maxTimeMS(maxQueryMs).lean();
      return found && shownOf(found);
    },
    list: async ({ userId, status }, page) => {
      const filter: ServerFilter = {
        ...(userId === null ? {} : { userId }),
        ...(status === null ? {} : { status }),
        ...nameContains(page.search),
      };
      const isUnfiltered = Object.keys(filter).length === 0;
      const index = indexFor({ userId, status }, page, 'nameGrams' in filter);
      const options = index === null ? {} : { hint: index };
      const [documents, total] = await Promise.all([
        model
          .find(filter, shownFields, options)
          .sort(alongIndex(page.sort))
          .skip(page.skip)
          .limit(page.perPage)
          .maxTimeMS(maxQueryMs)
          .lean(),
        isUnfiltered ? model.estimatedDocumentCount() : model.countDocuments(filter, options).maxTimeMS(maxQueryMs),
      ]);
      return { servers: documents.map(shownOf), total };
    },
    exists: async (serverId) => (await model.exists({ _id: serverId })) !== null,
    states: (serverIds) => readStates({ _id: { $in: [...serverIds] } }),
    statesOfNode: (nodeId) => readStates({ nodeId }),
    dueForStart: (nodeIds, limit) =>
      readStates(
        {
          nodeId: { $in: [...nodeIds] },
          status: 'offline',
          'power.desired': 'running',
          'install.state': 'installed',
          $and: [
            { $or: [{ 'crash.restartAt': null }, { $expr: { $lt: ['$crash.restartAt', '$$NOW'] } }] },
            { $or: [{ 'power.lock': null }, { $expr: { $lt: ['$power.lock.expiresAt', '$$NOW'] } }] },
          ],
        },
        limit,
      ),
    abandoned: (nodeIds, limit) =>
      readStates(
        {
          nodeId: { $in: [...nodeIds] },
          'power.lock.expiresAt': { $type: 'date' },
          $expr: { $lt: ['$power.lock.expiresAt', '$$NOW'] },
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

/**
 * The index of a list, by name; null where the planner finds it without comparing. Where it would have to compare several
 * that all sort in memory, or that find nothing for long, the embedded engine gives up ("slot-based execution engine").
 */
function indexFor({ userId, status }: ServerFilters, { search, sort }: PageQuery, hasGrams: boolean): string | null {
  const [first = '', ...more] = Object.keys(sort).filter((field) => field !== '_id');
  if (userId !== null) {
    if (status !== null) return 'server_user_status';
    return `server_user_${search === '' ? sortIndexOf(first) : 'name'}`;
  }
  if (hasGrams) return 'server_name_grams';
  return status !== null && (more.length > 0 || search !== '') ? 'server_status' : null;
}

function sortIndexOf(field: string): string {
  return Object.entries(sortIndexes).find(([, indexed]) => indexed === field)?.[0] ?? 'created';
}

/** The id breaks ties in the direction of the last field, or no index could be read backwards for it. */
function alongIndex(sort: PageQuery['sort']): Record<string, 1 | -1> {
  const fields = Object.entries(sort).filter(([field]) => field !== '_id');
  return { ...Object.fromEntries(fields), _id: fields.at(-1)?.[1] ?? 1 };
}

function shownOf({ _id, nameKey: _nameKey, ...fields }: Omit<ServerDocument, 'nameGrams'>): ShownServer {
  return { id: _id, ...fields };
}
