import type { OperationKind } from '../domain/servers/server.js';
import { fail } from '../reasons.js';
import { deleteOperation } from './delete.js';
import { installOperation, reinstallOperation } from './install-operation.js';
import type { OperationDefinition } from './operation.js';
import { restoreOperation } from './restore.js';
import { transferOperation } from './transfer-operation.js';

const definitions: readonly OperationDefinition[] = [
  installOperation,
  reinstallOperation,
  transferOperation,
  restoreOperation,
  deleteOperation,
];

const byKind = new Map<OperationKind, OperationDefinition>(
  definitions.map((definition) => [definition.kind, definition]),
);

/** Throws OPERATION_UNKNOWN: an operation of a newer version stays. */
export function definitionOf(kind: OperationKind): OperationDefinition {
  const definition = byKind.get(kind);
  if (!definition) throw fail('OPERATION_UNKNOWN', `no operation of kind ${kind} is known`, { kind });
  return definition;
}

export function kindsOf(lane: OperationDefinition['lane']): OperationKind[] {
  return definitions.filter((definition) => definition.lane === lane).map(({ kind }) => kind);
}

export const knownKinds: readonly OperationKind[] = definitions.map(({ kind }) => kind);
