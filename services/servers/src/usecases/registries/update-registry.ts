import type { ServersContext } from '../../context.js';
import { checkRegistry, type GivenRegistry } from '../../domain/registries/check-registry.js';
import type { Registry } from '../../domain/registries/registry.js';
import { requireEgg } from './create-registry.js';
import { getRegistry } from './get-registry.js';

/**
 * Absent fields stay. Against concurrent updates it checks again; a move to an egg that is deleted meanwhile is undone.
 * Throws REGISTRY_NOT_FOUND, INVALID_FIELDS, REGISTRY_EXISTS.
 */
export async function updateRegistry(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  registryId: string,
  given: GivenRegistry,
): Promise<Registry> {
  for (;;) {
    const before = await getRegistry({ stores }, registryId);
    const changes = checkRegistry(given, before);
    const movesTo = changes.eggId === before.eggId ? null : changes.eggId;
    await requireEgg(stores, movesTo);
    const updated = await stores.registries.update(before, changes, clock());
    if (!updated) continue;
    try {
      await requireEgg(stores, movesTo);
    } catch (error) {
      await updated.undo();
      throw error;
    }
    return updated.registry;
  }
}
