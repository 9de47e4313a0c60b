import { isAppError } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { eggNotFound } from './get-egg.js';

/** Names in the error. */
const maxNamed = 20;
const timeoutMs = 5_000;

type DeleteEggDeps = Pick<ServersContext, 'stores' | 'clock' | 'products'>;

/**
 * Hides the egg, then searches for servers and products; requests that give it to one recheck it afterwards: one of the
 * two sees the other. Its registries go last, and a process that dies before leaves them to `repair-references`. Throws
 * EGG_NOT_FOUND, EGG_IN_USE naming servers or products, BILLING_UNREACHABLE.
 */
export async function deleteEgg(deps: DeleteEggDeps, eggId: string): Promise<void> {
  const { eggs, registries } = deps.stores;
  const claimedAt = await eggs.beginDelete(eggId, deps.clock());
  if (claimedAt === null) throw eggNotFound(eggId);
  try {
    await requireUnused(deps, eggId);
  } catch (error) {
    await eggs.cancelDelete(eggId);
    throw error;
  }
  if (await eggs.delete(eggId, claimedAt)) return void (await registries.deleteOfEgg(eggId));
  // Deleted by another request.
  if (!(await eggs.exists(eggId))) return;
  // Restored by a reinstallation, or found in use by a concurrent deletion.
  throw fail('EGG_IN_USE', 'this egg has just come into use', { egg_id: eggId });
}

async function requireUnused({ stores, products }: DeleteEggDeps, eggId: string): Promise<void> {
  const servers = await stores.servers.eggs.namesOf(eggId, maxNamed);
  if (servers.length > 0) {
    throw fail('EGG_IN_USE', `servers use this egg: ${servers.join(', ')}`, { egg_id: eggId, servers });
  }
  const names = products === null ? [] : await productsOf(products, eggId);
  if (names.length > 0) {
    throw fail('EGG_IN_USE', `products sell this egg: ${names.join(', ')}`, { egg_id: eggId, products: names });
  }
}

/** Fails closed without a response. */
async function productsOf(products: NonNullable<DeleteEggDeps['products']>, eggId: string): Promise<string[]> {
  const page = { page: 1, perPage: maxNamed, sort: ['name'], search: '' };
  try {
    const found = await products.listProducts({ page, includeInactive: true, eggId }, { timeoutMs });
    return found.products.map(({ name }) => name);
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw fail('BILLING_UNREACHABLE', 'the billing service does not answer', {}, { cause: error });
  }
}
