import type { ServerAllocation } from '../../domain/allocations/allocation.js';
import type { FeatureLimits, GameServer, ServerLimits } from '../../domain/servers/server.js';
import type { EggChange } from '../../domain/servers/take-over-egg.js';
import type { RunSettings } from '../../domain/servers/run-settings.js';
import { duplicateIndex } from '@panel/kit/mongo';
import { fail } from '../../reasons.js';
import { encodeEggView } from './egg-view.js';
import { trigramsOf } from './name-search.js';
import { inMs, now, value } from '../expressions.js';
import { type UpdateServer, type Changes, hasPassed, type TouchServer } from './conditional-update.js';
import { endOperation } from './ended-operations.js';
import type { BeginOperation } from './server-operations.js';
import { viewersStages, withoutOwnerStage } from './server-subusers.js';
import { viewerNameGramsStage } from './viewer-name-grams.js';
import { withTargetCleanup } from './server-transfers.js';

/** Absent fields stay. */
export interface ServerFieldUpdates {
  readonly name?: string;
  readonly description?: string;
  readonly userId?: string;
  readonly externalId?: string | null;
  readonly limits?: Partial<ServerLimits>;
  readonly featureLimits?: Partial<FeatureLimits>;
  readonly runSettings?: Partial<RunSettings>;
  readonly dockerImage?: string;
  readonly startup?: string;
  /** By variable; others stay. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly allocationId?: string;
}

/** Conditional updates. Null: the server's state forbids it. */
export interface UpdateStore {
  /** `limits` require a started limits change. Throws EXTERNAL_ID_TAKEN. */
  update(serverId: string, changes: ServerFieldUpdates, limitsChangeId?: string): Promise<GameServer | null>;
  /** False: another is in progress. It expires. */
  beginLimits(serverId: string, changeId: string): Promise<boolean>;
  endLimits(serverId: string, changeId: string): Promise<void>;
  /** A suspension clears `desired`. Null: not found. */
  setSuspended(serverId: string, suspended: boolean): Promise<GameServer | null>;
  /** Requires no operation and no power action. */
  beginReinstall(serverId: string, operation: BeginOperation, egg: EggChange | null): Promise<GameServer | null>;
  /** Replaces other operations, except a deletion. */
  beginDelete(serverId: string, operation: BeginOperation): Promise<GameServer | null>;
  forceDelete(serverId: string): Promise<GameServer | null>;
  /** Null: it has begun to remove. */
  cancelDelete(serverId: string): Promise<GameServer | null>;
  /** Null: at the limit (unless `unlimited`) or during an operation. */
  addAllocation(serverId: string, allocation: ServerAllocation, unlimited?: boolean): Promise<GameServer | null>;
  /** Null for the primary one. */
  removeAllocation(serverId: string, allocationId: string): Promise<GameServer | null>;
  /** Null: at the limit, or during an operation. */
  addDatabase(serverId: string, databaseId: string): Promise<GameServer | null>;
  removeDatabase(serverId: string, databaseId: string): Promise<GameServer | null>;
  /** Null: not the server's. */
  setPrimary(serverId: string, allocationId: string): Promise<GameServer | null>;
  /** Null: not the server's. */
  setNotes(serverId: string, allocationId: string, notes: string): Promise<GameServer | null>;
}

const databaseIds = '$databaseIds';
/** Exceeds any call. */
const limitsChangeMs = 15_000;

/** Observers show no settings. */
export function createUpdateStore(change: UpdateServer, changeSettings: UpdateServer, touch: TouchServer): UpdateStore {
  return {
    update: (serverId, changes, limitsChangeId) => {
      const { environment = {}, limits = {}, featureLimits = {}, runSettings = {}, ...fields } = changes;
      const named = Object.entries(fields).filter(([, field]) => field !== undefined);
      // By part: concurrent changes of other parts stay.
      const parts = Object.entries({ environment, limits, featureLimits, runSettings }).flatMap(([parent, children]) =>
        Object.entries(children).map(([name, child]) => [`${parent}.${name}`, value(child)]),
      );
      const set: Changes = {
        ...Object.fromEntries(named.map(([name, field]) => [name, value(field)])),
        ...Object.fromEntries(parts),
        ...(fields.name === undefined
          ? {}
          : {
              nameKey: value(fields.name.toLowerCase()),
              nameTrigrams: value(trigramsOf(fields.name)),
            }),
      };
      const holds = limitsChangeId === undefined ? {} : { 'limitsChange.id': limitsChangeId };
      const renamed = fields.name === undefined ? [] : [viewerNameGramsStage];
      const following = fields.userId === undefined ? renamed : [withoutOwnerStage, ...viewersStages];
      return rethrowDuplicate(changeSettings({ _id: serverId, operation: null, ...holds }, set, ...following));
    },
    beginLimits: (serverId, changeId) =>
      touch(
        { _id: serverId, operation: null, ...hasPassed('limitsChange.expiresAt') },
        { limitsChange: { id: value(changeId), expiresAt: inMs(limitsChangeMs) } },
      ),
    endLimits: async (serverId, changeId) =>
      void (await touch({ _id: serverId, 'limitsChange.id': changeId }, { limitsChange: null })),
    setSuspended: (serverId, suspended) =>
      change(
        { _id: serverId },
        { suspended, ...(suspended ? { 'power.desired': 'offline', 'crash.restartAt': null } : {}) },
      ),
    beginReinstall: (serverId, operation, egg) =>
      change(
        { _id: serverId, operation: null, backup: null, suspended: false, ...hasPassed('power.lease.expiresAt') },
        {
          operation: started(operation),
          'power.desired': 'offline',
          'crash.restartAt': null,
          ...(egg === null ? {} : withEgg(egg)),
        },
      ),
    beginDelete: (serverId, operation) =>
      change(
        { _id: serverId, 'operation.kind': { $ne: 'deleting' } },
        {
          operation: started(operation),
          'power.desired': 'offline',
          'crash.restartAt': null,
          pendingCleanups: withTargetCleanup,
        },
      ),
    forceDelete: (serverId) =>
      change(
        { _id: serverId, 'operation.kind': 'deleting', 'operation.options.force': false },
        { 'operation.options.force': true, 'operation.leaseExpiresAt': null, 'operation.leaseOwner': null },
      ),
    cancelDelete: (serverId) =>
      change(
        { _id: serverId, 'operation.kind': 'deleting', 'operation.step': { $in: ['waiting', 'stop'] } },
        endOperation('cancelled'),
      ),
    addAllocation: (serverId, allocation, unlimited = false) =>
      changeSettings(
        {
          _id: serverId,
          operation: null,
          'allocations.id': { $ne: allocation.id },
          ...(unlimited ? {} : { $expr: { $lt: [{ $size: '$allocations' }, '$featureLimits.allocations'] } }),
        },
        { allocations: { $concatArrays: ['$allocations', [value(allocation)]] } },
      ),
    removeAllocation: (serverId, allocationId) =>
      changeSettings(
        { _id: serverId, operation: null, 'allocations.id': allocationId, allocationId: { $ne: allocationId } },
        { allocations: { $filter: { input: '$allocations', cond: { $ne: ['$$this.id', value(allocationId)] } } } },
      ),
    addDatabase: (serverId, databaseId) =>
      changeSettings(
        {
          _id: serverId,
          operation: null,
          databaseIds: { $ne: databaseId },
          $expr: { $lt: [{ $size: databaseIds }, '$featureLimits.databases'] },
        },
        { databaseIds: { $concatArrays: [databaseIds, [value(databaseId)]] } },
      ),
    removeDatabase: (serverId, databaseId) =>
      changeSettings(
        { _id: serverId, databaseIds: databaseId },
        { databaseIds: { $filter: { input: '$databaseIds', cond: { $ne: ['$$this', value(databaseId)] } } } },
      ),
    setPrimary: (serverId, allocationId) =>
      changeSettings(
        { _id: serverId, operation: null, 'allocations.id': allocationId },
        { allocationId: value(allocationId) },
      ),
    setNotes: (serverId, allocationId, notes) =>
      changeSettings(
        { _id: serverId, 'allocations.id': allocationId },
        { allocations: { $map: { input: '$allocations', in: withNotes(allocationId, notes) } } },
      ),
  };
}

export function withEgg({ eggId, egg, dockerImage, startup, resetVariables }: EggChange): Changes {
  return {
    eggId: value(eggId),
    egg: value({ ...egg, view: encodeEggView(egg) }),
    dockerImage: value(dockerImage),
    startup: value(startup),
    ...Object.fromEntries(resetVariables.map((name) => [`environment.${name}`, '$$REMOVE'])),
  };
}

function withNotes(allocationId: string, notes: string) {
  const changed = { $mergeObjects: ['$$this', { notes: value(notes) }] };
  return { $cond: [{ $eq: ['$$this.id', value(allocationId)] }, changed, '$$this'] };
}

export function started({ id, kind, step, options, problem = '' }: BeginOperation) {
  return {
    id: value(id),
    kind,
    step: value(step),
    progress: 0,
    startedAt: now,
    leaseOwner: null,
    leaseExpiresAt: null,
    fence: { $add: [{ $ifNull: ['$operation.fence', 0] }, 1] },
    waits: 0,
    problem: value(problem === '' ? null : problem),
    options: value({ skipScripts: false, startOnCompletion: false, force: false, ...options }),
    transfer: null,
    restore: null,
  };
}

async function rethrowDuplicate<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (duplicateIndex(error) !== 'server_external_id') throw error;
    throw fail('EXTERNAL_ID_TAKEN', 'another server has this external id', {}, { cause: error });
  }
}
