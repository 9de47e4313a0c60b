import type { Egg, EggSpec } from '../../domain/eggs/egg.js';
import type { Stores } from '../../models/stores.js';
import { nestNotFound, unknownNest } from '../nests/get-nest.js';
import { eggNotFound } from './get-egg.js';

/** Rechecks the nest after the write. Throws NEST_NOT_FOUND. */
export async function storeEgg({ eggs, nests }: Pick<Stores, 'eggs' | 'nests'>, egg: Egg, at: Date): Promise<Egg> {
  const stored = await eggs.create(egg);
  if (await nests.get(egg.nestId)) return stored;
  const claimedAt = await eggs.beginDelete(egg.id, at);
  if (claimedAt !== null) await eggs.delete(egg.id, claimedAt);
  throw nestNotFound(egg.nestId);
}

/**
 * Moves the egg with `nestId`; after a concurrent deletion of that nest it moves back. Throws EGG_NOT_FOUND,
 * INVALID_FIELDS for an unknown nest.
 */
export async function changeEgg(
  { eggs, nests }: Pick<Stores, 'eggs' | 'nests'>,
  eggId: string,
  { spec, nestId }: { readonly spec: Partial<EggSpec>; readonly nestId: string },
  at: Date,
): Promise<Egg> {
  const before = await eggs.get(eggId);
  if (!before) throw eggNotFound(eggId);
  if (nestId !== '' && !(await nests.get(nestId))) throw unknownNest();
  const updated = await eggs.update(eggId, { spec, ...(nestId === '' ? {} : { nestId }) }, at);
  if (!updated) throw eggNotFound(eggId);
  if (nestId === '' || nestId === before.nestId || (await nests.get(nestId))) return updated;
  await eggs.update(eggId, { nestId: before.nestId }, at);
  throw unknownNest();
}
