import type { EndedOperation, GameServer, Operation, PowerOperation } from './server.js';

export type FoundOperation =
  | { readonly of: 'power'; readonly operation: PowerOperation }
  | { readonly of: 'current'; readonly operation: Operation }
  | { readonly of: 'ended'; readonly operation: EndedOperation };

/** Among the last power actions, the last other operations, and the one in progress. */
export function findOperation(
  server: Pick<GameServer, 'powerOperations' | 'operation' | 'endedOperations'>,
  id: string,
): FoundOperation | null {
  const power = server.powerOperations?.find((each) => each.id === id);
  if (power) return { of: 'power', operation: power };
  if (server.operation?.id === id) return { of: 'current', operation: server.operation };
  const ended = server.endedOperations?.find((each) => each.id === id);
  return ended ? { of: 'ended', operation: ended } : null;
}
