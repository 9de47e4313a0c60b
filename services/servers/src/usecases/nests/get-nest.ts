import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { PageQuery } from '@panel/kit/mongo';
import type { ServersContext } from '../../context.js';
import type { Nest } from '../../domain/eggs/egg.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

export interface CountedNest extends Nest {
  readonly eggsCount: number;
}

/** Throws NEST_NOT_FOUND. */
export async function getNest({ stores }: Pick<ServersContext, 'stores'>, nestId: string): Promise<CountedNest> {
  return countEggs(stores, await loadNest(stores, nestId));
}

export async function listNests(
  { stores }: Pick<ServersContext, 'stores'>,
  page: PageQuery,
): Promise<{ nests: CountedNest[]; total: number }> {
  const { nests, total } = await stores.nests.list(page);
  const counts = await stores.eggs.countByNest(nests.map(({ id }) => id));
  return { nests: nests.map((nest) => ({ ...nest, eggsCount: counts.get(nest.id) ?? 0 })), total };
}

export async function countEggs({ eggs }: Pick<Stores, 'eggs'>, nest: Nest): Promise<CountedNest> {
  return { ...nest, eggsCount: (await eggs.countByNest([nest.id])).get(nest.id) ?? 0 };
}

/** Throws NEST_NOT_FOUND. */
export async function loadNest({ nests }: Pick<Stores, 'nests'>, nestId: string): Promise<Nest> {
  const nest = await nests.get(nestId);
  if (!nest) throw nestNotFound(nestId);
  return nest;
}

/** Of a body, not of a path. Throws INVALID_FIELDS naming `nest_id`. */
export async function loadNamedNest({ nests }: Pick<Stores, 'nests'>, nestId: string): Promise<Nest> {
  const nest = await nests.get(nestId);
  if (!nest) throw unknownNest();
  return nest;
}

export function unknownNest() {
  return invalidFields({ nest_id: [fieldProblem('not_found', 'is no nest')] });
}

export function nestNotFound(nestId: string) {
  return fail('NEST_NOT_FOUND', 'no such nest', { nest_id: nestId });
}
