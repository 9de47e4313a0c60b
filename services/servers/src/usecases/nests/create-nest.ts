import { createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkNest } from '../../domain/eggs/check-nest.js';
import { type CountedNest, countEggs } from './get-nest.js';

/** Idempotent by `idempotencyId`. Throws INVALID_FIELDS, NEST_NAME_TAKEN. */
export async function createNest(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  fields: { readonly name: string; readonly description: string; readonly author: string },
  idempotencyId?: string,
): Promise<CountedNest> {
  checkNest(fields);
  const { object: nest, isNew } = await createOnce(idempotencyId, {
    find: async (id) => stores.nests.get(id),
    create: async (id) => {
      const at = clock();
      return stores.nests.create({ id, ...fields, createdAt: at, updatedAt: at });
    },
  });
  return isNew ? { ...nest, eggsCount: 0 } : countEggs(stores, nest);
}
