import {
  BatchedReads,
  containsText,
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  duplicateIndex,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import type { Seal } from '@panel/kit/process';
import { count, date, flag, id, listOf, optional, orNull, part, type RecordOf, text } from '@panel/kit/records';
import type { PipelineStage } from 'mongoose';
import {
  type Engine,
  type GameNode,
  type NodeConnection,
  type NodeFacts,
  nodeFields,
  resourceFields,
  type NodeFields,
  type NodeHealth,
  type NodeName,
  type ResourceRequest,
} from '../../domain/nodes/node.js';
import { nodeStatus } from '../../domain/nodes/node-status.js';
import type { MachineKeys } from '../../domain/nodes/machine.js';
import { fail } from '../../reasons.js';
import { findOnce } from '../find-once.js';
import { maxQueryMs } from '../fields.js';
import { inMs, now, value } from '../expressions.js';
import { reseal } from '../reseal.js';

/** In the node's document: one conditional update enforces the limit. */
const reservationFields = {
  ...resourceFields,
  serverId: id,
  at: date,
  /** Until then the sweeper may remove it. */
  isConfirmed: flag,
  /** Expiry of the transfer slot. */
  transferUntil: optional(orNull(date)),
  changeId: optional(orNull(text)),
};
type Reservation = RecordOf<typeof reservationFields>;

/** Thousands at most, 100 bytes per reservation: not sharded. */
const nodeSchema = documentSchema({
  ...nodeFields,
  nameKey: id,
  nameRevision: count,
  reservations: listOf(part(reservationFields)),
  /** Its auto-starts are done. */
  engineStart: orNull(text),
  /** See MachineKeys. */
  addressKey: orNull(text),
  machineKey: orNull(text),
});
/** With what the nodes have in common. */
const machineIndexes = [
  { name: 'node_address', field: 'addressKey', common: 'these addresses of engine and files service' },
  { name: 'node_machine', field: 'machineKey', common: 'this engine, and the data root of this files service' },
] as const;
const unknownMachine: MachineKeys = { addressKey: null, machineKey: null };
type NodeDocument = DocumentOf<typeof nodeSchema>;
nodeSchema.index({ nameKey: 1 }, { name: 'node_name', unique: true });
for (const { name, field } of machineIndexes) {
  nodeSchema.index({ [field]: 1 }, { name, unique: true, partialFilterExpression: { [field]: { $type: 'string' } } });
}
nodeSchema.index({ createdAt: 1, _id: 1 }, { name: 'node_created' });
nodeSchema.index({ 'reservations.serverId': 1 }, { name: 'node_reservation_server' });

const connectionProjection = { reservations: 0, nameKey: 0, nameRevision: 0, addressKey: 0, machineKey: 0 } as const;

const withSums: PipelineStage[] = [
  {
    $addFields: {
      allocated: {
        memoryMb: { $sum: '$reservations.memoryMb' },
        diskMb: { $sum: '$reservations.diskMb' },
        cpuPercent: { $sum: '$reservations.cpuPercent' },
        servers: { $size: { $ifNull: ['$reservations', []] } },
      },
    },
  },
  { $project: { ...connectionProjection, engineStart: 0 } },
];

export interface NodeStore {
  /** Throws NODE_NAME_TAKEN, NODE_EXISTS. */
  create(id: string, fields: NodeFields, at: Date, machine?: MachineKeys): Promise<void>;
  get(nodeId: string): Promise<GameNode | null>;
  getMany(nodeIds: readonly string[]): Promise<GameNode[]>;
  nameOf(nodeId: string): Promise<NodeName | null>;
  /** By id. */
  names(): Promise<Map<string, NodeName>>;
  /** Without reservation sums. Null: not found. See BatchedReads. */
  getConnection(nodeId: string): Promise<NodeConnection | null>;
  /** Null: not found. See BatchedReads. */
  healthOf(nodeId: string): Promise<NodeHealth | null>;
  notOnline(now: Date): Promise<string[]>;
  facts(): Promise<NodeFacts[]>;
  /** Skips damaged records. */
  all(): Promise<GameNode[]>;
  list(page: PageQuery): Promise<{ nodes: GameNode[]; total: number }>;
  /** False: not found. Throws NODE_NAME_TAKEN, NODE_EXISTS. */
  update(nodeId: string, fields: Partial<NodeFields>, at: Date, machine?: MachineKeys): Promise<boolean>;
  /** Throws NODE_NOT_FOUND, NODE_IN_USE. */
  delete(nodeId: string): Promise<void>;
  /** With the newest secret. Resolves with the count. */
  sealKeys(): Promise<number>;
  setHealth(nodeId: string, health: NodeHealth): Promise<void>;
  /** Of the first contact. Resolves with the id that the node is bound to; null: not found. */
  bindDataRoot(nodeId: string, dataRootId: string): Promise<string | null>;
  /** Known keys only. Throws NODE_EXISTS. */
  bindMachine(nodeId: string, machine: MachineKeys): Promise<void>;
  /** Its auto-starts are done; null: none. */
  engineStart(nodeId: string): Promise<string | null>;
  setEngineStart(nodeId: string, engineStart: string): Promise<void>;
  /** False: no room, or maintenance. Idempotent. */
  reserve(nodeId: string, serverId: string, resources: ResourceRequest, at: Date): Promise<boolean>;
  /** For a limits change; false: no room. */
  changeReservation(nodeId: string, serverId: string, resources: ResourceRequest, changeId: string): Promise<boolean>;
  /** No-op after the start of a later change. */
  commitReservation(nodeId: string, serverId: string, resources: ResourceRequest, changeId: string): Promise<void>;
  /** False: the sweeper removed it. */
  confirm(nodeId: string, serverId: string): Promise<boolean>;
  release(nodeId: string, serverId: string): Promise<void>;
  reservedFor(serverId: string): Promise<string[]>;
  unconfirmed(before: Date): Promise<{ nodeId: string; serverId: string }[]>;
  releaseUnconfirmed(nodeId: string, serverId: string): Promise<void>;
  /** One of `max` transfer slots; false: all are taken. Idempotent; each call renews the time. */
  acquireSlot(
    nodeId: string,
    serverId: string,
    turn: { readonly max: number; readonly ttlMs: number },
  ): Promise<boolean>;
  releaseSlot(nodeId: string, serverId: string): Promise<void>;
}

const nameFields = { name: 1, nameRevision: 1 } as const;

/** Binds a sealed key to its node. */
const aadOf = (nodeId: string) => `node ${nodeId} tlsKey`;

export function createNodeStore(connection: MongoConnection, seal: Seal): NodeStore {
  const model = defineModel(connection, 'Node', nodeSchema, 'nodes');
  const rows = async (stages: PipelineStage[]) =>
    model.aggregate<Row<GameNode>>([...stages, ...withSums]).option({ maxTimeMS: maxQueryMs });
  const toNode = ({ _id, ...fields }: Row<GameNode>): GameNode => opened({ id: _id, ...fields }, seal);
  const read = async (stages: PipelineStage[]) => (await rows(stages)).map(toNode);
  const connections = new BatchedReads(async (nodeIds) => {
    const found = await findOnce<Row<NodeConnection>>(model, {
      filter: { _id: { $in: [...nodeIds] } },
      projection: connectionProjection,
      limit: nodeIds.length,
    });
    return new Map(found.map(({ _id, ...fields }) => [_id, opened({ id: _id, ...fields }, seal)]));
  });
  const healths = new BatchedReads(async (nodeIds) => {
    const found = await findOnce<Pick<NodeDocument, '_id' | 'health'>>(model, {
      filter: { _id: { $in: [...nodeIds] } },
      projection: { health: 1 },
      limit: nodeIds.length,
    });
    return new Map(found.map(({ _id, health }) => [_id, health]));
  });
  const sealed = (nodeId: string, engine: Engine): Engine =>
    engine.tlsKey === '' ? engine : { ...engine, tlsKey: seal.seal(engine.tlsKey, aadOf(nodeId)) };
  const mapDuplicate = async <T>(write: Promise<T> | PromiseLike<T>, machine = unknownMachine): Promise<T> => {
    try {
      return await write;
    } catch (error) {
      const index = duplicateIndex(error);
      if (index === 'node_name') throw fail('NODE_NAME_TAKEN', 'another node has this name', {}, { cause: error });
      const taken = machineIndexes.find(({ name }) => name === index);
      if (!taken) throw error;
      const other = await model
        .findOne({ [taken.field]: machine[taken.field] }, nameFields)
        .maxTimeMS(maxQueryMs)
        .lean();
      const message = `the node ${JSON.stringify(other?.name ?? '')} is the same machine: it has ${taken.common}`;
      throw fail('NODE_EXISTS', message, { node_id: other?._id ?? '', node: other?.name ?? '' }, { cause: error });
    }
  };
  return {
    create: async (id, fields, at, machine = unknownMachine) => {
      const health: NodeHealth = {
        isReachable: false,
        checkedAt: null,
        lastSeenAt: null,
        unknownInstances: [],
        reason: null,
      };
      const nameKey = fields.name.toLowerCase();
      const engine = sealed(id, fields.engine);
      const fresh = { nameRevision: 1, reservations: [], health, createdAt: at, updatedAt: at };
      const document = { _id: id, ...fields, ...machine, engine, nameKey, ...fresh };
      await mapDuplicate(model.create(document), machine);
    },
    get: async (nodeId) => (await read([{ $match: { _id: nodeId } }]))[0] ?? null,
    getMany: (nodeIds) => read([{ $match: { _id: { $in: [...nodeIds] } } }]),
    nameOf: async (nodeId) => {
      const found = await model.findById(nodeId, nameFields).maxTimeMS(maxQueryMs).lean();
      return found && { name: found.name, revision: found.nameRevision };
    },
    names: async () => {
      const found = await model.find({}, nameFields).maxTimeMS(maxQueryMs).lean();
      return new Map(found.map(({ _id, name, nameRevision: revision }) => [_id, { name, revision }]));
    },
    getConnection: async (nodeId) => connections.read(nodeId),
    healthOf: async (nodeId) => healths.read(nodeId),
    notOnline: async (now) => {
      const found = await model.find({}, { health: 1 }).maxTimeMS(maxQueryMs).lean();
      return found.filter(({ health }) => nodeStatus(health, now) !== 'online').map(({ _id }) => _id);
    },
    facts: async () => {
      const projection = { name: 1, health: 1, 'engine.tlsCa': 1, 'engine.tlsCert': 1 };
      const found = await model
        .find({}, projection)
        .maxTimeMS(maxQueryMs)
        .lean<(Omit<NodeFacts, 'id'> & { _id: string })[]>();
      return found.map(({ _id, ...facts }) => ({ id: _id, ...facts }));
    },
    all: async () => convertEach(await rows([]), toNode).filter((node) => 'engine' in node),
    list: async (page) => {
      const filter = page.search === '' ? {} : { name: containsText(page.search) };
      const [nodes, total] = await Promise.all([
        rows([{ $match: filter }, { $sort: page.sort }, { $skip: page.skip }, { $limit: page.perPage }]),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { nodes: convertEach(nodes, toNode), total };
    },
    update: async (nodeId, fields, at, machine) => {
      const nameKey = fields.name === undefined ? {} : { nameKey: fields.name.toLowerCase() };
      const engine = fields.engine ? { engine: sealed(nodeId, fields.engine) } : {};
      const set = { ...fields, ...machine, ...engine, ...nameKey, updatedAt: at };
      const update = { $set: set, ...(fields.name === undefined ? {} : { $inc: { nameRevision: 1 } }) };
      return (await mapDuplicate(model.updateOne({ _id: nodeId }, update), machine)).matchedCount === 1;
    },
    delete: async (nodeId) => {
      const { deletedCount } = await model.deleteOne({ _id: nodeId, reservations: { $size: 0 } });
      if (deletedCount === 1) return;
      if (await model.exists({ _id: nodeId })) throw fail('NODE_IN_USE', 'the node has servers', { node_id: nodeId });
      throw fail('NODE_NOT_FOUND', 'no such node', { node_id: nodeId });
    },
    sealKeys: async () => {
      const found = await model.find({ 'engine.tlsKey': { $ne: '' } }, { engine: 1 }).lean();
      const texts = found.map(({ _id, engine: { tlsKey: sealed } }) => ({
        sealed,
        aad: aadOf(_id),
        replace: async (tlsKey: string) =>
          model.updateOne({ _id, 'engine.tlsKey': sealed }, { $set: { 'engine.tlsKey': tlsKey } }),
      }));
      return reseal(seal, texts);
    },
    engineStart: async (nodeId) => {
      const found = await model.findOne({ _id: nodeId }, { engineStart: 1 }).maxTimeMS(maxQueryMs).lean();
      return found?.engineStart ?? null;
    },
    setEngineStart: async (nodeId, engineStart) =>
      void (await model.updateOne({ _id: nodeId }, { $set: { engineStart } })),
    setHealth: async (nodeId, health) => void (await model.updateOne({ _id: nodeId }, { $set: { health } })),
    bindDataRoot: async (nodeId, dataRootId) => {
      await model.updateOne({ _id: nodeId, dataRootId: { $in: ['', null] } }, { $set: { dataRootId } });
      return (await model.findById(nodeId, { dataRootId: 1 }).maxTimeMS(maxQueryMs).lean())?.dataRootId ?? null;
    },
    bindMachine: async (nodeId, machine) => {
      for (const { field } of machineIndexes) {
        const key = machine[field];
        if (key === null) continue;
        await mapDuplicate(
          model.updateOne({ _id: nodeId, [field]: { $ne: key } }, { $set: { [field]: key } }),
          machine,
        );
      }
    },
    reserve: async (nodeId, serverId, resources, at) => {
      const reservation: Reservation = { serverId, ...resources, at, isConfirmed: false };
      const result = await model.updateOne(
        {
          _id: nodeId,
          maintenanceMode: false,
          'reservations.serverId': { $ne: serverId },
          $expr: fits(resources, '$reservations'),
        },
        { $push: { reservations: reservation } },
      );
      return (
        result.modifiedCount === 1 || (await model.exists({ _id: nodeId, 'reservations.serverId': serverId })) !== null
      );
    },
    changeReservation: async (nodeId, serverId, resources, changeId) => {
      const others = { $filter: { input: '$reservations', cond: { $ne: ['$$this.serverId', serverId] } } };
      const result = await model.updateOne(
        { _id: nodeId, 'reservations.serverId': serverId, $expr: fits(resources, others) },
        { $set: { ...reserved(resources), 'reservations.$.changeId': changeId } },
      );
      return result.matchedCount === 1;
    },
    commitReservation: async (nodeId, serverId, resources, changeId) =>
      void (await model.updateOne(
        { _id: nodeId, reservations: { $elemMatch: { serverId, changeId } } },
        { $set: reserved(resources) },
      )),
    confirm: async (nodeId, serverId) => {
      const update = { $set: { 'reservations.$.isConfirmed': true } };
      return (await model.updateOne({ _id: nodeId, 'reservations.serverId': serverId }, update)).matchedCount === 1;
    },
    release: async (nodeId, serverId) =>
      void (await model.updateOne({ _id: nodeId }, { $pull: { reservations: { serverId } } })),
    reservedFor: async (serverId) => model.distinct('_id', { 'reservations.serverId': serverId }),
    unconfirmed: async (before) =>
      model.aggregate<{ nodeId: string; serverId: string }>([
        { $match: { reservations: { $elemMatch: { isConfirmed: false, at: { $lt: before } } } } },
        { $unwind: '$reservations' },
        { $match: { 'reservations.isConfirmed': false, 'reservations.at': { $lt: before } } },
        { $project: { _id: 0, nodeId: '$_id', serverId: '$reservations.serverId' } },
      ]),
    releaseUnconfirmed: async (nodeId, serverId) =>
      void (await model.updateOne({ _id: nodeId }, { $pull: { reservations: { serverId, isConfirmed: false } } })),
    acquireSlot: async (nodeId, serverId, { max, ttlMs }) => {
      const ofServer = { _id: nodeId, 'reservations.serverId': serverId };
      const isOther = { $ne: ['$$this.serverId', value(serverId)] };
      const moving = { $and: [isOther, { $gt: ['$$this.transferUntil', now] }] };
      const others = { $size: { $filter: { input: '$reservations', cond: moving } } };
      const { matchedCount } = await model.updateOne(
        { ...ofServer, $expr: { $lt: [others, max] } },
        slotUntil(serverId, inMs(ttlMs)),
        { updatePipeline: true },
      );
      // Without a reservation there is no slot.
      return matchedCount === 1 || (await model.exists(ofServer)) === null;
    },
    releaseSlot: async (nodeId, serverId) =>
      void (await model.updateOne({ _id: nodeId, 'reservations.serverId': serverId }, slotUntil(serverId, null), {
        updatePipeline: true,
      })),
  };
}

function slotUntil(serverId: string, transferUntil: unknown) {
  const isIts = { $eq: ['$$this.serverId', value(serverId)] };
  const changed = { $cond: [isIts, { $mergeObjects: ['$$this', { transferUntil }] }, '$$this'] };
  return [{ $set: { reservations: { $map: { input: '$reservations', in: changed } } } }];
}

/** As `insufficientResource` in domain/node.ts. */
function fits(resources: ResourceRequest, reservations: unknown) {
  const sum = (field: keyof ResourceRequest) => ({
    $sum: { $map: { input: reservations, as: 'one', in: `$$one.${field}` } },
  });
  const within = (field: 'memoryMb' | 'diskMb', percent: string) => ({
    $or: [
      { $eq: [`$${percent}`, -1] },
      {
        $lte: [
          { $add: [sum(field), resources[field]] },
          { $floor: { $divide: [{ $multiply: [`$${field}`, { $add: [100, `$${percent}`] }] }, 100] } },
        ],
      },
    ],
  });
  const cpu = {
    $or: [{ $eq: ['$cpuPercent', 0] }, { $lte: [{ $add: [sum('cpuPercent'), resources.cpuPercent] }, '$cpuPercent'] }],
  };
  return {
    $and: [within('memoryMb', 'memoryOverallocatePercent'), within('diskMb', 'diskOverallocatePercent'), cpu],
  };
}

function reserved({ memoryMb, diskMb, cpuPercent }: ResourceRequest) {
  return {
    'reservations.$.memoryMb': memoryMb,
    'reservations.$.diskMb': diskMb,
    'reservations.$.cpuPercent': cpuPercent,
  };
}

/** Its use fails with a reason. */
function opened<T extends NodeConnection>(node: T, seal: Seal): T {
  const { engine } = node;
  if (engine.tlsKey === '') return node;
  const tlsKey = seal.open(engine.tlsKey, aadOf(node.id));
  return tlsKey === null ? node : { ...node, engine: { ...engine, tlsKey } };
}

type Row<T extends NodeConnection> = Omit<T, 'id'> & { readonly _id: string };
