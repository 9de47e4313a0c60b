import { randomUUID } from 'node:crypto';
import { createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { Egg } from '../../domain/eggs/egg.js';
import { readEggFile } from '../../domain/eggs/import/read-egg-file.js';
import type { Stores } from '../../models/stores.js';
import { loadNest } from '../nests/get-nest.js';
import { changeEgg, storeEgg } from './store-egg.js';

const defaultNestName = 'Imported';

export interface EggFile {
  readonly content: Uint8Array;
  readonly format: 'json' | 'yaml';
  /** Empty: an existing egg stays, a new one goes to the nest "Imported". */
  readonly nestId: string;
  /** Replaces this egg; absent: a new one. */
  readonly eggId?: string | undefined;
}

/**
 * Idempotent by `idempotencyId` for a new egg. Throws INVALID_FIELDS naming the field, NEST_NOT_FOUND, EGG_NOT_FOUND.
 */
export async function importEgg(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  { content, format, nestId, eggId }: EggFile,
  idempotencyId?: string,
): Promise<{ egg: Egg; warnings: readonly string[] }> {
  const { spec, uuid, warnings } = readEggFile(content, format);
  if (eggId !== undefined) {
    return { egg: await changeEgg(stores, eggId, { spec, nestId }, clock()), warnings };
  }
  const { object: egg } = await createOnce(idempotencyId, {
    find: async (id) => stores.eggs.get(id),
    create: async (id) => {
      const at = clock();
      const nest = nestId === '' ? await ensureDefaultNest(stores, at) : await loadNest(stores, nestId);
      return storeEgg(
        stores,
        { id, nestId: nest.id, uuid: uuid ?? randomUUID(), spec, createdAt: at, updatedAt: at },
        at,
      );
    },
  });
  return { egg, warnings };
}

async function ensureDefaultNest({ nests }: Pick<Stores, 'nests'>, at: Date) {
  const description = 'Eggs from files';
  return nests.ensure({
    id: randomUUID(),
    name: defaultNestName,
    description,
    author: '',
    createdAt: at,
    updatedAt: at,
  });
}
