import { assertNever } from '@panel/kit/errors';
import { acceptingStates, stateAfterAccept } from '../../domain/power/power-transitions.js';
import { type CrashState, type GameServer, type PowerAction, powerStates } from '../../domain/servers/server.js';
import { inMs, now, value } from '../expressions.js';
import { type UpdateServer, hasPassed, type ServerFilter, type TouchServer } from './conditional-update.js';
import {
  beginPowerOperation,
  endAbandonedPowerOperation,
  endPowerOperation,
  supersedePowerOperations,
} from './power-operations.js';
import { leaseFilter, type OperationLease } from './server-operations.js';

export interface PowerLeaseRequest {
  readonly id: string;
  readonly action: PowerAction;
  readonly owner: string;
  readonly ttlMs: number;
}

/**
 * What has to hold when a forced stop is written, because the decision may be old: the operation's lease is held, the
 * server is suspended, the stop of this run has no worker, or (at a shutdown) the server is not offline.
 */
export type StopGround =
  | { readonly kind: 'operation'; readonly lease: OperationLease }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'stopping'; readonly generation: number }
  | { readonly kind: 'shutdown' };

/** Conditional updates of the power state. Null: another caller won. */
export interface PowerStore {
  /** Takes the lease (`kill` from its holder, `stop` from a waiting start), sets state and `desired`. */
  accept(serverId: string, request: PowerLeaseRequest): Promise<GameServer | null>;
  /** Requires a server that is wanted, offline and without a later restart. */
  acceptAutomaticStart(serverId: string, request: PowerLeaseRequest): Promise<GameServer | null>;
  /** From the dead worker with the lease `leaseId`; the state stays. */
  takeOver(serverId: string, leaseId: string, request: PowerLeaseRequest): Promise<GameServer | null>;
  /** In any state; `desired` stays. */
  acceptForcedStop(serverId: string, request: PowerLeaseRequest, ground: StopGround): Promise<GameServer | null>;
  renew(serverId: string, leaseId: string, ttlMs: number): Promise<boolean>;
  /** For unavailable dependencies. A stop may take the lease from now on. */
  waitToStart(serverId: string, leaseId: string): Promise<GameServer | null>;
  beginStart(serverId: string, leaseId: string): Promise<GameServer | null>;
  resolveFeature(serverId: string, generation: number, feature: string): Promise<GameServer | null>;
  finish(serverId: string, leaseId: string): Promise<GameServer | null>;
  /** Offline and no longer wanted; `error` is for the owner. */
  finishFailedStart(serverId: string, leaseId: string, error: string): Promise<GameServer | null>;
  /** `starting` stays until the ready line. */
  release(serverId: string, leaseId: string): Promise<GameServer | null>;
  /** Requires this generation, `starting`, no lease. */
  markRunning(serverId: string, generation: number): Promise<GameServer | null>;
  /** A typed stop is no crash. Requires starting or running, no lease. */
  markStopping(serverId: string): Promise<GameServer | null>;
  /** For an unrecorded run, or a later one after a restore of the database. Requires the state that was read before it. */
  adopt(read: Pick<GameServer, 'id' | 'power'>, generation: number): Promise<GameServer | null>;
  /** After a failed automatic start: offline, still wanted. */
  postponeStart(serverId: string, leaseId: string, until: Date, error: string): Promise<GameServer | null>;
  /** For `always`; resolves with their ids. */
  wantAlways(nodeId: string): Promise<string[]>;
  wantOffline(serverId: string): Promise<void>;
  /** Requires this generation, no lease. */
  markEnded(
    serverId: string,
    generation: number,
    crash: CrashState | null,
    desired?: 'offline',
  ): Promise<GameServer | null>;
}

const unleased: ServerFilter = hasPassed('power.lease.expiresAt');

type FindIds = (filter: ServerFilter) => Promise<string[]>;

export function createPowerStore(change: UpdateServer, touch: TouchServer, findIds: FindIds): PowerStore {
  return {
    accept: (serverId, request) =>
      change(
        {
          _id: serverId,
          operation: null,
          suspended: false,
          'power.state': { $in: acceptingStates(request.action) },
          ...(isStart(request.action) ? { 'install.state': 'installed' } : {}),
          ...withoutHolder(request.action),
        },
        {
          ...leased(request, request.id),
          ...beginPowerOperation(request.id, request.action),
          'power.state': acceptedState(request.action),
          'power.desired': isStart(request.action) ? 'running' : 'offline',
          'power.changedAt': now,
          ...(isStart(request.action) ? { 'crash.times': value([]) } : {}),
          'crash.restartAt': null,
        },
      ),
    acceptAutomaticStart: (serverId, request) =>
      change(
        {
          _id: serverId,
          operation: null,
          suspended: false,
          'install.state': 'installed',
          'power.state': 'offline',
          'power.desired': 'running',
          $and: [unleased, hasPassed('crash.restartAt')],
        },
        {
          ...leased(request),
          ...supersedePowerOperations(),
          'power.state': 'starting',
          'power.changedAt': now,
          'crash.restartAt': null,
        },
      ),
    takeOver: (serverId, leaseId, request) =>
      change({ _id: serverId, 'power.lease.id': leaseId, ...unleased }, takenOver(request)),
    acceptForcedStop: (serverId, request, ground) =>
      change(groundFilter(serverId, ground), {
        ...leased(request),
        ...supersedePowerOperations(),
        'power.state': acceptedState('kill'),
        'power.changedAt': now,
        'crash.restartAt': null,
      }),
    renew: (serverId, leaseId, ttlMs) =>
      touch({ _id: serverId, 'power.lease.id': leaseId }, { 'power.lease.expiresAt': inMs(ttlMs) }),
    waitToStart: (serverId, leaseId) =>
      change(
        { _id: serverId, 'power.lease.id': leaseId, operation: null, suspended: false },
        { 'power.lease.isWaiting': true, 'power.state': 'starting' },
      ),
    beginStart: (serverId, leaseId) =>
      change(
        { _id: serverId, 'power.lease.id': leaseId, operation: null, suspended: false },
        {
          'power.state': 'starting',
          'power.generation': { $add: ['$power.generation', 1] },
          'power.changedAt': now,
          'power.resolvedFeatures': value([]),
        },
      ),
    resolveFeature: (serverId, generation, feature) =>
      change(
        { _id: serverId, 'power.generation': generation },
        { 'power.resolvedFeatures': { $setUnion: [{ $ifNull: ['$power.resolvedFeatures', []] }, value([feature])] } },
      ),
    finish: (serverId, leaseId) =>
      change(
        { _id: serverId, 'power.lease.id': leaseId },
        { ...endPowerOperation('completed'), 'power.lease': null, 'power.state': 'offline', 'power.changedAt': now },
      ),
    finishFailedStart: (serverId, leaseId, error) =>
      change(
        { _id: serverId, 'power.lease.id': leaseId },
        {
          ...endPowerOperation('failed', error),
          'power.lease': null,
          'power.state': 'offline',
          'power.desired': 'offline',
          'power.changedAt': now,
        },
      ),
    release: (serverId, leaseId) =>
      change({ _id: serverId, 'power.lease.id': leaseId }, { ...endPowerOperation('completed'), 'power.lease': null }),
    markRunning: (serverId, generation) =>
      change(
        { _id: serverId, 'power.state': 'starting', 'power.generation': generation, ...unleased },
        { 'power.state': 'running', 'power.changedAt': now },
      ),
    markStopping: (serverId) =>
      change(
        { _id: serverId, 'power.state': { $in: ['starting', 'running'] }, ...unleased },
        { 'power.state': 'stopping', 'power.desired': 'offline', 'power.changedAt': now },
      ),
    adopt: ({ id, power: { changedAt } }, generation) =>
      change(
        {
          _id: id,
          'power.state': 'offline',
          'power.generation': { $lte: generation },
          'power.changedAt': changedAt,
          ...unleased,
        },
        {
          ...endAbandonedPowerOperation('running'),
          'power.lease': null,
          'power.state': 'running',
          'power.generation': generation,
          'power.changedAt': now,
        },
      ),
    postponeStart: (serverId, leaseId, until, error) =>
      change(
        { _id: serverId, 'power.lease.id': leaseId },
        {
          ...endPowerOperation('failed', error),
          'power.lease': null,
          'power.state': 'offline',
          'power.changedAt': now,
          'crash.restartAt': until,
        },
      ),
    wantAlways: async (nodeId) => {
      const stopped: ServerFilter = {
        nodeId,
        'runSettings.autoStart': 'always',
        'power.state': 'offline',
        'power.desired': 'offline',
        'install.state': 'installed',
        suspended: false,
        operation: null,
      };
      const wanted = await Promise.all(
        (await findIds(stopped)).map((id) =>
          change({ ...stopped, _id: id }, { 'power.desired': 'running', 'crash.restartAt': null }),
        ),
      );
      return wanted.flatMap((server) => (server ? [server.id] : []));
    },
    wantOffline: async (serverId) =>
      void (await touch({ _id: serverId }, { 'power.desired': 'offline', 'crash.restartAt': null })),
    markEnded: (serverId, generation, crash, desired) =>
      change(
        { _id: serverId, 'power.state': { $ne: 'offline' }, 'power.generation': generation, ...unleased },
        {
          ...endAbandonedPowerOperation('offline'),
          'power.lease': null,
          'power.state': 'offline',
          'power.changedAt': now,
          ...(crash === null ? {} : { crash: value(crash) }),
          ...(desired === undefined ? {} : { 'power.desired': desired }),
        },
      ),
  };
}

function withoutHolder(action: PowerAction): ServerFilter {
  if (action === 'kill') return {};
  return action === 'stop' ? { $or: [unleased, { 'power.lease.isWaiting': true }] } : unleased;
}

function groundFilter(serverId: string, ground: StopGround): ServerFilter {
  switch (ground.kind) {
    case 'operation':
      return leaseFilter(ground.lease);
    case 'suspended':
      return { _id: serverId, suspended: true };
    case 'stopping':
      return { _id: serverId, 'power.state': 'stopping', 'power.generation': ground.generation, ...unleased };
    case 'shutdown':
      return { _id: serverId, 'power.state': { $ne: 'offline' } };
    default:
      return assertNever(ground);
  }
}

function isStart(action: PowerAction): boolean {
  return action === 'start' || action === 'restart';
}

/** An embedded document would be merged, an expression replaces. */
function leased(request: PowerLeaseRequest, operationId?: string) {
  const operation = operationId === undefined ? {} : { operationId: value(operationId) };
  return { 'power.lease': { $mergeObjects: [leaseOf(request), operation] } };
}

/** Keeps the operation of the previous worker. */
function takenOver(request: PowerLeaseRequest) {
  return { 'power.lease': { $mergeObjects: ['$power.lease', leaseOf(request)] } };
}

function leaseOf({ id, action, owner, ttlMs }: PowerLeaseRequest) {
  return { id: value(id), action, owner: value(owner), expiresAt: inMs(ttlMs) };
}

/** `stateAfterAccept` of the state at the write. */
function acceptedState(action: PowerAction): unknown {
  return powerStates.reduce<unknown>(
    (otherwise, state) => ({
      $cond: [{ $eq: ['$power.state', state] }, stateAfterAccept(action, state), otherwise],
    }),
    '$power.state',
  );
}
