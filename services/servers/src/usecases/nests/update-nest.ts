import type { ServersContext } from '../../context.js';
import { checkNest } from '../../domain/eggs/check-nest.js';
import type { Nest } from '../../domain/eggs/egg.js';
import { type CountedNest, countEggs, loadNest, nestNotFound } from './get-nest.js';

/** Absent fields stay. Throws NEST_NOT_FOUND, INVALID_FIELDS, NEST_NAME_TAKEN. */
export async function updateNest(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  nestId: string,
  fields: Partial<Pick<Nest, 'name' | 'description' | 'author'>>,
): Promise<CountedNest> {
  checkNest({ ...(await loadNest(stores, nestId)), ...fields });
  const nest = await stores.nests.update(nestId, fields, clock());
  if (!nest) throw nestNotFound(nestId);
  return countEggs(stores, nest);
}
