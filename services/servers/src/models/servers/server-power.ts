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

export interface LockRequest {
  readonly id: string;
  readonly action: PowerAction;
  readonly owner: string;
  readonly ttlMs: number;
}

/** Every way the power state of a server changes: each one conditional update. Null always means "lost the race". */
export interface PowerStore {
  /**
   * Accept an action of a person: takes the lock (for `kill` from its holder), moves the state as the table says and
   * records what is wanted.
   */
  accept(serverId: string, lock: LockRequest): Promise<GameServer | null>;
  /** Accept a start of our own: the server is wanted running, is offline, and no restart is due later. */
  acceptAutomaticStart(serverId: string, lock: LockRequest): Promise<GameServer | null>;
  /** Take over a stop, or anything else whose worker died; the state stays. */
  takeOver(serverId: string, lock: LockRequest): Promise<GameServer | null>;
  /**
   * Take the lock of a server that runs and must not (suspension, deletion). What is wanted stays as it is. With a lease
   * only while that is ours.
   */
  acceptForcedStop(serverId: string, lock: LockRequest, lease?: OperationLease): Promise<GameServer | null>;
  renew(serverId: string, lockId: string, ttlMs: number): Promise<boolean>;
  /** The next generation begins: state `starting`. */
  beginStart(serverId: string, lockId: string): Promise<GameServer | null>;
  /** What the game of this run asked for is done. */
  resolveFeature(serverId: string, generation: number, feature: string): Promise<GameServer | null>;
  /** End an action that is done, its game being offline. */
  finish(serverId: string, lockId: string): Promise<GameServer | null>;
  /** End a start that failed, for a reason its owner may read: the server is offline, and no longer wanted. */
  finishFailedStart(serverId: string, lockId: string, error: string): Promise<GameServer | null>;
  /** Let go after a start: the state stays `starting` until the game says that it is ready. */
  release(serverId: string, lockId: string): Promise<GameServer | null>;
  /** The game is ready. Only from `starting` of this generation, and once its start has let go of the lock. */
  markRunning(serverId: string, generation: number): Promise<GameServer | null>;
  /** The stop command was typed into the console: its end is no crash. Only from starting or running, unlocked. */
  markStopping(serverId: string): Promise<GameServer | null>;
  /** A game that runs although the panel thought otherwise; a later run than it knows after a restore of the database. */
  adopt(serverId: string, generation: number): Promise<GameServer | null>;
  /** A start of our own has failed: the server is offline, and still wanted. */
  postponeStart(serverId: string, lockId: string, until: Date, error: string): Promise<GameServer | null>;
  /** Have the stopped servers of a node run that start with it; their ids. */
  wantAlways(nodeId: string): Promise<string[]>;
  /** The server is not to be started again by itself. */
  wantOffline(serverId: string): Promise<void>;
  /** A game of this generation has ended and the lock is free. */
  markEnded(
    serverId: string,
    generation: number,
    crash: CrashState | null,
    desired?: 'offline',
  ): Promise<GameServer | null>;
}

const unlocked: ServerFilter = hasPassed('power.lock.expiresAt');

type FindIds = (filter: ServerFilter) => Promise<string[]>;

export function createPowerStore(change: UpdateServer, touch: TouchServer, findIds: FindIds): PowerStore {
  return {
    accept: (serverId, lock) =>
      change(
        {
          _id: serverId,
          operation: null,
          suspended: false,
          'power.state': { $in: acceptingStates(lock.action) },
          ...(isStart(lock.action) ? { 'install.state': 'installed' } : {}),
          ...(lock.action === 'kill' ? {} : unlocked),
        },
        {
          ...locked(lock, lock.id),
          ...beginPowerOperation(lock.id, lock.action),
          'power.state': acceptedState(lock.action),
          'power.desired': isStart(lock.action) ? 'running' : 'offline',
          'power.changedAt': now,
          ...(isStart(lock.action) ? { 'crash.times': value([]) } : {}),
          'crash.restartAt': null,
        },
      ),
    acceptAutomaticStart: (serverId, lock) =>
      change(
        {
          _id: serverId,
          operation: null,
          suspended: false,
          'install.state': 'installed',
          'power.state': 'offline',
          'power.desired': 'running',
          $and: [unlocked, hasPassed('crash.restartAt')],
        },
        {
          ...locked(lock),
          ...supersedePowerOperations(),
          'power.state': 'starting',
          'power.changedAt': now,
          'crash.restartAt': null,
        },
      ),
    takeOver: (serverId, lock) => change({ _id: serverId, ...unlocked }, takenOver(lock)),
    acceptForcedStop: (serverId, lock, lease) =>
      change(lease ? leaseFilter(lease) : { _id: serverId }, {
        ...locked(lock),
        ...supersedePowerOperations(),
        'power.state': acceptedState('kill'),
        'power.changedAt': now,
        'crash.restartAt': null,
      }),
    renew: (serverId, lockId, ttlMs) =>
      touch({ _id: serverId, 'power.lock.id': lockId }, { 'power.lock.expiresAt': inMs(ttlMs) }),
    beginStart: (serverId, lockId) =>
      change(
        { _id: serverId, 'power.lock.id': lockId, operation: null, suspended: false },
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
    finish: (serverId, lockId) =>
      change(
        { _id: serverId, 'power.lock.id': lockId },
        { ...endPowerOperation('completed'), 'power.lock': null, 'power.state': 'offline', 'power.changedAt': now },
      ),
    finishFailedStart: (serverId, lockId, error) =>
      change(
        { _id: serverId, 'power.lock.id': lockId },
        {
          ...endPowerOperation('failed', error),
          'power.lock': null,
          'power.state': 'offline',
          'power.desired': 'offline',
          'power.changedAt': now,
        },
      ),
    release: (serverId, lockId) =>
      change({ _id: serverId, 'power.lock.id': lockId }, { ...endPowerOperation('completed'), 'power.lock': null }),
    markRunning: (serverId, generation) =>
      change(
        { _id: serverId, 'power.state': 'starting', 'power.generation': generation, ...unlocked },
        { 'power.state': 'running', 'power.changedAt': now },
      ),
    markStopping: (serverId) =>
      change(
        { _id: serverId, 'power.state': { $in: ['starting', 'running'] }, ...unlocked },
        { 'power.state': 'stopping', 'power.desired': 'offline', 'power.changedAt': now },
      ),
    adopt: (serverId, generation) =>
      change(
        { _id: serverId, 'power.state': 'offline', 'power.generation': { $lte: generation }, ...unlocked },
        {
          ...endAbandonedPowerOperation('running'),
          'power.lock': null,
          'power.state': 'running',
          'power.generation': generation,
          'power.changedAt': now,
        },
      ),
    postponeStart: (serverId, lockId, until, error) =>
      change(
        { _id: serverId, 'power.lock.id': lockId },
        {
          ...endPowerOperation('failed', error),
          'power.lock': null,
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
        { _id: serverId, 'power.state': { $ne: 'offline' }, 'power.generation': generation, ...unlocked },
        {
          ...endAbandonedPowerOperation('offline'),
          'power.lock': null,
          'power.state': 'offline',
          'power.changedAt': now,
          ...(crash === null ? {} : { crash: value(crash) }),
          ...(desired === undefined ? {} : { 'power.desired': desired }),
        },
      ),
  };
}

function isStart(action: PowerAction): boolean {
  return action === 'start' || action === 'restart';
}

/** In the place of any other lock. An embedded document would be merged with that, an expression replaces it. */
function locked(lock: LockRequest, operationId?: string) {
  const operation = operationId === undefined ? {} : { operationId: value(operationId) };
  return { 'power.lock': { $mergeObjects: [lockOf(lock), operation] } };
}

/** The lock of another worker that goes on with the same operation. */
function takenOver(lock: LockRequest) {
  return { 'power.lock': { $mergeObjects: ['$power.lock', lockOf(lock)] } };
}

function lockOf({ id, action, owner, ttlMs }: LockRequest) {
  return { id: value(id), action, owner: value(owner), expiresAt: inMs(ttlMs) };
}

/** `stateAfterAccept` for the state that the server has when the write arrives. */
function acceptedState(action: PowerAction): unknown {
  return powerStates.reduce<unknown>(
    (otherwise, state) => ({
      $cond: [{ $eq: ['$power.state', state] }, stateAfterAccept(action, state), otherwise],
    }),
    '$power.state',
  );
}
