import type { PowerAction, PowerOperationState } from '../../domain/servers/server.js';
import { now, value } from '../expressions.js';
import type { Changes } from './conditional-update.js';

/** Per server. */
const retained = 20;
const all = { $ifNull: ['$powerOperations', []] };
const isInProgress = { $eq: ['$$this.state', 'in_progress'] };
const superseded = ended(isInProgress, 'superseded', null);

/** Supersedes those in progress. */
export function beginPowerOperation(id: string, action: PowerAction): Changes {
  const begun = { id: value(id), action, state: 'in_progress', error: null, startedAt: now, endedAt: null };
  return { powerOperations: { $slice: [{ $concatArrays: [[begun], superseded] }, retained] } };
}

/** For internal actions. */
export function supersedePowerOperations(): Changes {
  return { powerOperations: superseded };
}

/** Its lease is released in the same stage. */
export function endPowerOperation(state: PowerOperationState, error: string | null = null): Changes {
  const isIt = { $eq: ['$$this.id', { $ifNull: ['$power.lease.operationId', null] }] };
  return { powerOperations: ended(isIt, state, error) };
}

/** By the game's state. */
export function endAbandonedPowerOperation(found: 'running' | 'offline'): Changes {
  const wanted = found === 'running' ? ['start', 'restart'] : ['stop', 'kill'];
  const isDone = { $in: ['$$this.action', wanted] };
  const ending = {
    state: { $cond: [isDone, 'completed', 'failed'] },
    error: { $cond: [isDone, null, `it was interrupted, and the server is ${found}`] },
    endedAt: now,
  };
  return { powerOperations: mapped(isInProgress, ending) };
}

function ended(condition: unknown, state: PowerOperationState, error: string | null): unknown {
  return mapped(condition, { state, error: value(error), endedAt: now });
}

function mapped(condition: unknown, changes: unknown): unknown {
  return { $map: { input: all, in: { $cond: [condition, { $mergeObjects: ['$$this', changes] }, '$$this'] } } };
}
