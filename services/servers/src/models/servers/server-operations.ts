import type { Model } from 'mongoose';
import type { GameServer, InstallState, OperationKind, OperationOptions } from '../../domain/servers/server.js';
import { inMs, value } from '../expressions.js';
import { type UpdateServer, hasPassed, type ServerFilter, type TouchServer } from './conditional-update.js';
import { type DueWork, dueByOwner } from './due-work.js';
import { endOperation } from './ended-operations.js';
import type { ServerDocument } from './server-schema.js';

/** Writes with an older fence have no effect. */
export interface OperationLease {
  readonly serverId: string;
  readonly operationId: string;
  readonly fence: number;
}

export interface BeginOperation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly step: string;
  readonly options: Partial<OperationOptions>;
  /** What it waits for. */
  readonly problem?: string | undefined;
}

/** In the server's document. Null and false: another caller won. */
export interface OperationStore {
  /** Without a worker. */
  waiting(nodeIds: readonly string[], kinds: readonly OperationKind[], limit: number): Promise<DueWork[]>;
  unknown(
    nodeIds: readonly string[],
    kinds: readonly OperationKind[],
    limit: number,
  ): Promise<{ serverId: string; kind: string }[]>;
  claim(serverId: string, owner: string, ttlMs: number): Promise<GameServer | null>;
  renew(lease: OperationLease, ttlMs: number): Promise<boolean>;
  /** For another worker, at once or after `ms`. */
  release(lease: OperationLease, ms?: number): Promise<void>;
  /** For another worker after `ms`, as a run that is no claim. */
  wait(lease: OperationLease, ms: number): Promise<void>;
  /** For people, until the next step. */
  setProblem(lease: OperationLease, problem: string): Promise<void>;
  progress(lease: OperationLease, step: string, percent: number): Promise<GameServer | null>;
  finishInstall(lease: OperationLease, install: InstallState, wantsStart: boolean): Promise<GameServer | null>;
  /** Without a trace: what was begun for a caller who hears why it failed. */
  discard(lease: OperationLease): Promise<GameServer | null>;
  /** `error` null: completed. */
  finish(lease: OperationLease, error: string | null): Promise<GameServer | null>;
}

export function leaseFilter({ serverId, operationId, fence }: OperationLease): ServerFilter {
  return { _id: serverId, 'operation.id': operationId, 'operation.fence': fence };
}

/** The problem of a step ends with the step. */
export function problemOf(step: string): unknown {
  const problem = { $ifNull: ['$operation.problem', null] };
  return { $cond: [{ $eq: ['$operation.step', value(step)] }, problem, null] };
}

export function createOperationStore(
  model: Model<ServerDocument>,
  change: UpdateServer,
  touch: TouchServer,
): OperationStore {
  return {
    waiting: async (nodeIds, kinds, limit) => {
      const filter: ServerFilter = {
        'operation.id': { $type: 'string' },
        'operation.kind': { $in: [...kinds] },
        nodeId: { $in: [...nodeIds] },
        ...hasPassed('operation.leaseExpiresAt'),
      };
      return dueByOwner(model, filter, { leaseField: 'operation.leaseExpiresAt', limit });
    },
    unknown: async (nodeIds, kinds, limit) => {
      const filter: ServerFilter = {
        'operation.id': { $type: 'string' },
        'operation.kind': { $nin: [...kinds] },
        nodeId: { $in: [...nodeIds] },
      };
      const found = await model.find(filter, { operation: 1 }).limit(limit).lean();
      return found.map(({ _id, operation }) => ({ serverId: _id, kind: operation?.kind ?? '' }));
    },
    claim: (serverId, owner, ttlMs) =>
      change(
        { _id: serverId, 'operation.id': { $type: 'string' }, ...hasPassed('operation.leaseExpiresAt') },
        {
          'operation.leaseOwner': value(owner),
          'operation.leaseExpiresAt': inMs(ttlMs),
          'operation.fence': { $add: ['$operation.fence', 1] },
        },
      ),
    renew: (lease, ttlMs) => touch(leaseFilter(lease), { 'operation.leaseExpiresAt': inMs(ttlMs) }),
    release: async (lease, ms) => {
      const leaseExpiresAt = ms === undefined ? null : inMs(ms);
      await change(leaseFilter(lease), { 'operation.leaseOwner': null, 'operation.leaseExpiresAt': leaseExpiresAt });
    },
    wait: async (lease, ms) => {
      const waits = { $add: [{ $ifNull: ['$operation.waits', 0] }, 1] };
      const freed = { 'operation.leaseOwner': null, 'operation.leaseExpiresAt': inMs(ms) };
      await change(leaseFilter(lease), { ...freed, 'operation.waits': waits });
    },
    setProblem: async (lease, problem) => {
      const isNew: ServerFilter = { ...leaseFilter(lease), 'operation.problem': { $ne: problem } };
      await change(isNew, { 'operation.problem': value(problem) });
    },
    progress: (lease, step, percent) =>
      change(leaseFilter(lease), {
        'operation.step': value(step),
        'operation.progress': percent,
        'operation.problem': problemOf(step),
      }),
    finishInstall: (lease, install, wantsStart) =>
      change(leaseFilter(lease), {
        ...(install.state === 'failed' ? endOperation('failed', install.error) : endOperation('completed')),
        install: value(install),
        // The end of a suspension must not start it.
        ...(wantsStart
          ? { 'power.desired': { $cond: ['$suspended', 'offline', 'running'] }, 'crash.restartAt': null }
          : {}),
      }),
    discard: (lease) => change(leaseFilter(lease), { operation: null }),
    finish: (lease, error) =>
      change(leaseFilter(lease), error === null ? endOperation('completed') : endOperation('failed', error)),
  };
}
