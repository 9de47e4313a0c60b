import type { EndedOperationState } from '../../domain/servers/server.js';
import { now, value } from '../expressions.js';
import type { Changes } from './conditional-update.js';

/** Per server. */
const retained = 20;
const all = { $ifNull: ['$endedOperations', []] };

/** Of the operation in the document. Null: no failure. */
export function endOperation(state: EndedOperationState, error: string | null = null): Changes {
  const ended = {
    id: '$operation.id',
    kind: '$operation.kind',
    state,
    error: value(error),
    startedAt: '$operation.startedAt',
    endedAt: now,
  };
  return { endedOperations: { $slice: [{ $concatArrays: [[ended], all] }, retained] }, operation: null };
}
