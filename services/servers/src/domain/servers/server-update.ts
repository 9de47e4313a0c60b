import { type FieldMessages, fieldProblem } from '@panel/kit/errors';
import type { Egg } from '../eggs/egg.js';
import type { ServerFields } from './check-server.js';
import { changedValues, checkEnvironment, pickFields } from './environment.js';
import type { RunSettings } from './run-settings.js';
import { resetVariables } from './take-over-egg.js';
import type { FeatureLimits, GameServer, ServerLimits } from './server.js';

export interface ServerUpdate {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly userId: string | undefined;
  /** Empty removes it. */
  readonly externalId: string | undefined;
  readonly limits: Partial<ServerLimits>;
  readonly featureLimits: Partial<FeatureLimits>;
  readonly runSettings: Partial<RunSettings>;
  readonly dockerImage: string | undefined;
  /** Empty: the egg's. */
  readonly startup: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly allocationId: string | undefined;
  readonly addAllocationIds: readonly string[];
  readonly removeAllocationIds: readonly string[];
}

/** Another egg's rules apply to kept values too. */
export function checkValues(
  server: GameServer,
  { environment }: ServerUpdate,
  nextEgg: Egg | undefined,
): FieldMessages {
  if (nextEgg) {
    const { variables } = nextEgg.spec;
    const reset = new Set(resetVariables(server, nextEgg, environment));
    const retained = variables.flatMap(({ envVariable: name }) => {
      const isRetained = Object.hasOwn(server.environment, name) && !reset.has(name);
      const value = isRetained ? server.environment[name] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    });
    return checkEnvironment(variables, { ...Object.fromEntries(retained), ...environment });
  }
  const changed = changedValues(server.egg.variables, server.environment, environment);
  return pickFields(checkEnvironment(server.egg.variables, changed), changed);
}

export function checkAllocations(server: GameServer, update: ServerUpdate, checked: ServerFields): void {
  const { allocationId, addAllocationIds, removeAllocationIds } = update;
  const after = new Set([...server.allocations.map(({ id }) => id), ...addAllocationIds]);
  for (const id of removeAllocationIds) {
    checked.refuse(
      !after.delete(id),
      'remove_allocation_ids',
      fieldProblem('not_found', 'must be allocations of this server'),
    );
  }
  checked.refuse(addAllocationIds.length > 50, 'add_allocation_ids', fieldProblem('too_long', 'must be at most 50'));
  const primary = allocationId ?? server.allocationId;
  const field = allocationId === undefined ? 'remove_allocation_ids' : 'allocation_id';
  checked.refuse(!after.has(primary), field, fieldProblem('not_found', 'must be one that the server has'));
}
