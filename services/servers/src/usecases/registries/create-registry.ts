import { fieldProblem, invalidFields } from '@panel/kit/errors';
import { createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkRegistry, type GivenRegistry } from '../../domain/registries/check-registry.js';
import { maxRegistries, type Registry } from '../../domain/registries/registry.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

/**
 * Rechecks the egg after the write: the deletion of an egg removes its registries. Idempotent by `idempotencyId`. Throws
 * INVALID_FIELDS, REGISTRY_EXISTS, REGISTRY_LIMIT.
 */
export async function createRegistry(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  given: GivenRegistry,
  idempotencyId?: string,
): Promise<Registry> {
  const { secret, ...fields } = checkRegistry(given, null);
  const { object } = await createOnce(idempotencyId, {
    find: async (id) => stores.registries.get(id),
    create: async (id) => {
      await requireEgg(stores, fields.eggId);
      const at = clock();
      // A creation without secret is invalid.
      const { kind, text } = secret ?? { kind: 'password', text: '' };
      const registry: Registry = { id, ...fields, secretKind: kind, revision: 0, createdAt: at, updatedAt: at };
      if (!(await stores.registries.create(registry, text)))
        throw fail('REGISTRY_LIMIT', `at most ${maxRegistries} registries`, { limit: maxRegistries });
      try {
        await requireEgg(stores, fields.eggId);
      } catch (error) {
        await stores.registries.delete(id);
        throw error;
      }
      return registry;
    },
  });
  return object;
}

/** Throws INVALID_FIELDS for an unknown egg, and for one that is being deleted. */
export async function requireEgg({ eggs }: Pick<Stores, 'eggs'>, eggId: string | null): Promise<void> {
  if (eggId !== null && !(await eggs.get(eggId)))
    throw invalidFields({ egg_id: [fieldProblem('not_found', 'is no egg')] });
}
