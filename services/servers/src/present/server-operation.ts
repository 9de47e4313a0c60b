import { assertNever } from '@panel/kit/errors';
import { enumOf } from '@panel/kit/records';
import { PowerAction, ServerOperation, ServerOperation_Kind, ServerOperation_State } from '@panel/protos/servers';
import type { FoundOperation } from '../domain/servers/find-operation.js';

export function presentServerOperation(found: FoundOperation): ServerOperation {
  switch (found.of) {
    case 'power': {
      const { id, action, state, error, startedAt, endedAt } = found.operation;
      return ServerOperation.create({
        id,
        kind: ServerOperation_Kind.POWER,
        action: enumOf(PowerAction, action),
        state: enumOf(ServerOperation_State, state),
        error: error ?? '',
        startTime: startedAt,
        endTime: endedAt ?? undefined,
      });
    }
    case 'current': {
      const { id, kind, startedAt } = found.operation;
      const state = ServerOperation_State.IN_PROGRESS;
      return ServerOperation.create({ id, kind: enumOf(ServerOperation_Kind, kind), state, startTime: startedAt });
    }
    case 'ended': {
      const { id, kind, state, error, startedAt, endedAt } = found.operation;
      return ServerOperation.create({
        id,
        kind: enumOf(ServerOperation_Kind, kind),
        state: enumOf(ServerOperation_State, state),
        error: error ?? '',
        startTime: startedAt,
        endTime: endedAt,
      });
    }
    default:
      return assertNever(found);
  }
}
