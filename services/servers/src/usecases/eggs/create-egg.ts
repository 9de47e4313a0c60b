import { randomUUID } from 'node:crypto';
import { createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkEgg } from '../../domain/eggs/check-egg.js';
import { withCleanTexts } from '../../domain/eggs/clean-texts.js';
import type { Egg, EggSpec } from '../../domain/eggs/egg.js';
import { loadNest } from '../nests/get-nest.js';
import { storeEgg } from './store-egg.js';

/** Idempotent by `idempotencyId`. Throws INVALID_FIELDS, NEST_NOT_FOUND. */
export async function createEgg(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  { nestId, spec: given }: { readonly nestId: string; readonly spec: EggSpec },
  idempotencyId?: string,
): Promise<Egg> {
  const spec = withCleanTexts(given);
  checkEgg(spec);
  const { object: egg } = await createOnce(idempotencyId, {
    find: async (id) => stores.eggs.get(id),
    create: async (id) => {
      await loadNest(stores, nestId);
      const at = clock();
      return storeEgg(stores, { id, nestId, uuid: randomUUID(), spec, createdAt: at, updatedAt: at }, at);
    },
  });
  return egg;
}
