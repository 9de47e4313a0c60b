import { type PowerOperation as PowerOperationMessage, PowerOperation_State } from '@panel/protos/servers';
import type { PowerOperation, PowerOperationState } from '../domain/servers/server.js';
import { presentPowerAction } from './server.js';

const states: Readonly<Record<PowerOperationState, PowerOperation_State>> = {
  in_progress: PowerOperation_State.IN_PROGRESS,
  completed: PowerOperation_State.COMPLETED,
  failed: PowerOperation_State.FAILED,
  superseded: PowerOperation_State.SUPERSEDED,
};

export function presentPowerOperation(operation: PowerOperation): PowerOperationMessage {
  const { id, action, state, error, startedAt, endedAt } = operation;
  return {
    id,
    action: presentPowerAction(action),
    state: states[state],
    error: error ?? '',
    startTime: startedAt,
    endTime: endedAt ?? undefined,
  };
}
