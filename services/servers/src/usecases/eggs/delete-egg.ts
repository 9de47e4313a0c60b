import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { eggNotFound } from './get-egg.js';

/** Names in the error. */
const maxNamed = 20;

/**
 * Hides the egg, then searches for servers; requests that give it to a server recheck it afterwards: one of the two
 * sees the other. Throws EGG_NOT_FOUND, EGG_IN_USE naming servers.
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
    // Restored by a reinstallation, or deleted by another request.
    if (!(await eggs.get(eggId))) return;
  }
  await eggs.cancelDelete(eggId);
  throw fail('EGG_IN_USE', `servers use this egg: ${names.join(', ')}`, { egg_id: eggId, servers: names });
}
