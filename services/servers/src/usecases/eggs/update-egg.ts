import type { ServersContext } from '../../context.js';
import { checkEgg } from '../../domain/eggs/check-egg.js';
import type { Egg, EggSpec } from '../../domain/eggs/egg.js';
import { getEgg } from './get-egg.js';
import { changeEgg } from './store-egg.js';

interface EggUpdate {
  /** Empty: unchanged. */
  readonly nestId: string;
  readonly spec: Partial<EggSpec>;
}

/** Throws EGG_NOT_FOUND, INVALID_FIELDS. */
export async function updateEgg(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  eggId: string,
  { nestId, spec }: EggUpdate,
): Promise<Egg> {
  const egg = await getEgg({ stores }, eggId);
  checkEgg({ ...egg.spec, ...spec });
  return changeEgg(stores, eggId, { spec, nestId }, clock());
}
