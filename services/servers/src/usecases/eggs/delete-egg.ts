import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { eggNotFound } from './get-egg.js';

/** So many are named to the operator. */
const maxNamed = 20;

/**
 * Delete an egg that no server uses. It is hidden first, and a request that gives it to a server looks for it again after that: one of
 * the two sees the other. Throws EGG_NOT_FOUND, EGG_IN_USE naming servers.
 */
export async function deleteEgg(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  eggId: string,
): Promise<void> {
  const { eggs, servers } = stores;
  if (!(await eggs.beginDelete(eggId, clock()))) throw eggNotFound(eggId);
  const names = await servers.eggs.namesOf(eggId, maxNamed);
  if (names.length === 0) {
    if (await eggs.delete(eggId)) return;
    // Restored by a reinstallation meanwhile, or deleted by another request.
    if (!(await eggs.get(eggId))) return;
  }
  await eggs.cancelDelete(eggId);
  throw fail('EGG_IN_USE', `servers use this egg: ${names.join(', ')}`, { egg_id: eggId, servers: names });
}
