import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { nestNotFound } from './get-nest.js';

/** So many are named to the operator. */
const maxNamed = 20;

/**
 * Delete a nest without eggs. It is hidden first, and a request that puts an egg into it looks for it again afterwards: one of the
 * two sees the other. Throws NEST_NOT_FOUND, NEST_IN_USE naming eggs.
 */
export async function deleteNest(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  nestId: string,
): Promise<void> {
  const { nests, eggs } = stores;
  if (!(await nests.beginDelete(nestId, clock()))) throw nestNotFound(nestId);
  const names = await eggs.namesOf(nestId, maxNamed);
  if (names.length === 0) return nests.delete(nestId);
  await nests.cancelDelete(nestId);
  throw fail('NEST_IN_USE', `this nest has eggs: ${names.join(', ')}`, { nest_id: nestId, eggs: names });
}
