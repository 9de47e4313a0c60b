import type { Egg, Nest } from '../../domain/eggs/egg.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

/** Throws EGG_NOT_FOUND. */
export async function loadEgg({ eggs }: Pick<Stores, 'eggs'>, eggId: string): Promise<Egg> {
  const egg = await eggs.get(eggId);
  if (!egg) throw eggNotFound(eggId);
  return egg;
}

/** Throws NEST_NOT_FOUND. */
export async function loadNest({ nests }: Pick<Stores, 'nests'>, nestId: string): Promise<Nest> {
  const nest = await nests.get(nestId);
  if (!nest) throw nestNotFound(nestId);
  return nest;
}

export function nestNotFound(nestId: string) {
  return fail('NEST_NOT_FOUND', 'no such nest', { nest_id: nestId });
}

export function eggNotFound(eggId: string) {
  return fail('EGG_NOT_FOUND', 'no such egg', { egg_id: eggId });
}
