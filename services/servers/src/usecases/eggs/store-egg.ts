import type { Egg } from '../../domain/eggs/egg.js';
import type { Stores } from '../../models/stores.js';
import { nestNotFound } from './load-egg.js';

/** Store a new egg, unless its nest was deleted at the same moment. Throws NEST_NOT_FOUND. */
export async function storeEgg({ eggs, nests }: Pick<Stores, 'eggs' | 'nests'>, egg: Egg, at: Date): Promise<Egg> {
  const stored = await eggs.create(egg);
  if (await nests.get(egg.nestId)) return stored;
  if (await eggs.beginDelete(egg.id, at)) await eggs.delete(egg.id);
  throw nestNotFound(egg.nestId);
}
