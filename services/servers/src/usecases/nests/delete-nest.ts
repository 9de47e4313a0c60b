import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { nestNotFound } from './get-nest.js';

/** Names in the error. */
const maxNamed = 20;

/**
 * Hides the nest, then searches for eggs; requests that add an egg recheck it afterwards: one of the two sees the
 * other. Throws NEST_NOT_FOUND, NEST_IN_USE naming eggs.
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
