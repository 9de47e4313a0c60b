import { randomUUID } from 'node:crypto';
import { fieldProblem, invalidFields } from '@panel/kit/errors';
import { createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { Egg } from '../../domain/eggs/egg.js';
import { readEggFile } from '../../domain/eggs/import/read-egg-file.js';
import type { Stores } from '../../models/stores.js';
import { loadNamedNest } from '../nests/get-nest.js';
import { changeEgg, storeEgg } from './store-egg.js';

const defaultNestName = 'Imported';

export interface EggFile {
  readonly content: Uint8Array;
  readonly format: 'json' | 'yaml';
  /** Empty: as the file says; else an existing egg stays, a new one goes to the nest "Imported". */
  readonly nestId: string;
  /** Replaces this egg; absent: a new one. */
  readonly eggId?: string | undefined;
}

/**
 * Idempotent by `idempotencyId` for a new egg. Throws BAD_REQUEST for an unreadable file, INVALID_FIELDS naming the
 * field, EGG_NOT_FOUND.
 */
export async function importEgg(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  { content, format, nestId: requested, eggId }: EggFile,
  idempotencyId?: string,
): Promise<{ egg: Egg; warnings: readonly string[] }> {
  const { spec, uuid, nestId: ofFile, warnings } = readEggFile(content, format);
  const nestId = nestIdOf(requested, ofFile);
  if (eggId !== undefined) {
    return { egg: await changeEgg(stores, eggId, { spec, nestId }, clock()), warnings };
  }
  const { object: egg } = await createOnce(idempotencyId, {
    find: async (id) => stores.eggs.get(id),
    create: async (id) => {
      const at = clock();
      const nest = nestId === '' ? await ensureDefaultNest(stores, at) : await loadNamedNest(stores, nestId);
      return storeEgg(
        stores,
        { id, nestId: nest.id, uuid: uuid ?? randomUUID(), spec, createdAt: at, updatedAt: at },
        at,
      );
    },
  });
  return { egg, warnings };
}

function nestIdOf(requested: string, ofFile: string | null): string {
  if (ofFile === null || requested === '' || requested === ofFile) return requested || (ofFile ?? '');
  throw invalidFields({ nest_id: [fieldProblem('conflicting', 'is another one in the query than in the file')] });
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
