import { createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkNest } from '../../domain/eggs/check-nest.js';
import type { Nest } from '../../domain/eggs/egg.js';

/** A nest with the number of its eggs. Idempotent by `idempotencyId`. Throws INVALID_FIELDS, NEST_NAME_TAKEN. */
export async function createNest(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  fields: { readonly name: string; readonly description: string; readonly author: string },
  idempotencyId?: string,
): Promise<{ nest: Nest; eggsCount: number }> {
  checkNest(fields);
  const { object: nest, isNew } = await createOnce(idempotencyId, {
    find: async (id) => stores.nests.get(id),
    create: async (id) => {
      const at = clock();
      return stores.nests.create({ id, ...fields, createdAt: at, updatedAt: at });
    },
  });
  const counts = isNew ? null : await stores.eggs.countByNest([nest.id]);
  return { nest, eggsCount: counts?.get(nest.id) ?? 0 };
}
