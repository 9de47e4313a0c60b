import type { PageQuery } from '@panel/kit/mongo';
import type { ServersContext } from '../../context.js';
import type { Egg } from '../../domain/eggs/egg.js';
import { writeEggFile } from '../../domain/eggs/write-egg-file.js';
import { fail } from '../../reasons.js';
import { loadNest } from '../nests/get-nest.js';

/** Throws EGG_NOT_FOUND. */
export async function getEgg({ stores }: Pick<ServersContext, 'stores'>, eggId: string): Promise<Egg> {
  const egg = await stores.eggs.get(eggId);
  if (!egg) throw eggNotFound(eggId);
  return egg;
}

/** By nest; empty: all. Throws NEST_NOT_FOUND. */
export async function listEggs(
  { stores }: Pick<ServersContext, 'stores'>,
  nestId: string,
  page: PageQuery,
): Promise<{ eggs: Egg[]; total: number }> {
  if (nestId !== '') await loadNest(stores, nestId);
  return stores.eggs.list({ nestId }, page);
}

/** Throws EGG_NOT_FOUND. */
export async function exportEgg(context: Pick<ServersContext, 'stores' | 'clock'>, eggId: string): Promise<string> {
  const { spec } = await getEgg(context, eggId);
  return writeEggFile(spec, context.clock());
}

export function eggNotFound(eggId: string) {
  return fail('EGG_NOT_FOUND', 'no such egg', { egg_id: eggId });
}
