import { enumOf, messageFields } from '@panel/kit/records';
import { PowerAction, type PowerOperation as PowerOperationMessage, PowerOperation_State } from '@panel/protos/servers';
import type { PowerOperation } from '../domain/servers/server.js';

export function presentPowerOperation(operation: PowerOperation): PowerOperationMessage {
  return {
    ...messageFields(operation),
    action: enumOf(PowerAction, operation.action),
    state: enumOf(PowerOperation_State, operation.state),
    error: operation.error ?? '',
    startTime: operation.startedAt,
    endTime: operation.endedAt ?? undefined,
  };
}
