import type { ServersContext } from '../../context.js';
import { checkEgg } from '../../domain/eggs/check-egg.js';
import type { Egg, EggSpec } from '../../domain/eggs/egg.js';
import { eggNotFound, loadEgg, loadNest } from './load-egg.js';

interface EggUpdate {
  /** Empty: the egg stays in its nest. */
  readonly nestId: string;
  /** The fields to replace. */
  readonly spec: Partial<EggSpec>;
}

/** Throws EGG_NOT_FOUND, NEST_NOT_FOUND, INVALID_FIELDS. */
export async function updateEgg(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  eggId: string,
  { nestId, spec }: EggUpdate,
): Promise<Egg> {
  const egg = await loadEgg(stores, eggId);
  if (nestId !== '') await loadNest(stores, nestId);
  checkEgg({ ...egg.spec, ...spec });
  const updated = await stores.eggs.update(eggId, { spec, ...(nestId === '' ? {} : { nestId }) }, clock());
  if (!updated) throw eggNotFound(eggId);
  return updated;
}
