import { randomUUID } from 'node:crypto';
import { createOnce, type Handler, requirePermission } from '@panel/rpc';
import { type EggServiceService, ImportEggRequest_Format } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { Egg, EggSpec } from '../../domain/eggs/egg.js';
import { importEgg as readEggFile } from '../../domain/eggs/import/import-egg.js';
import { presentEgg } from '../../present/egg.js';
import { fail } from '../../reasons.js';

const defaultNest = 'Imported';

export function importEgg({ stores, clock }: ServersContext): Handler<EggServiceService['importEgg']> {
  return async (request, { actor, idempotencyId }) => {
    requirePermission(actor, 'eggs.import');
    const format = request.format === ImportEggRequest_Format.YAML ? 'yaml' : 'json';
    const { eggId } = request;
    if (eggId !== undefined) requirePermission(actor, 'eggs.update');
    const { spec, uuid, warnings } = readEggFile(request.content, format);
    if (eggId !== undefined) {
      const replaced = await replace(stores, { eggId, nestId: request.nestId, spec }, clock());
      return { egg: presentEgg(replaced), warnings: [...warnings] };
    }
    const { object: egg } = await createOnce(idempotencyId, {
      find: async (id) => stores.eggs.get(id),
      create: async (id) => {
        const at = clock();
        const nestId = await nestFor(stores, request.nestId, at);
        return stores.eggs.create({ id, nestId, uuid, spec, createdAt: at, updatedAt: at });
      },
    });
    return { egg: presentEgg(egg), warnings: [...warnings] };
  };
}

async function replace(
  stores: ServersContext['stores'],
  { eggId, nestId, spec }: { readonly eggId: string; readonly nestId: string; readonly spec: EggSpec },
  at: Date,
): Promise<Egg> {
  const changes = nestId === '' ? { spec } : { spec, nestId: await nestFor(stores, nestId, at) };
  const updated = await stores.eggs.update(eggId, changes, at);
  if (!updated) throw fail('EGG_NOT_FOUND', 'no such egg', { egg_id: eggId });
  return updated;
}

async function nestFor(stores: ServersContext['stores'], nestId: string, at: Date): Promise<string> {
  if (nestId !== '') {
    if (await stores.nests.get(nestId)) return nestId;
    throw fail('NEST_NOT_FOUND', 'no such nest', { nest_id: nestId });
  }
  const description = 'Eggs from files';
  const nest = { id: randomUUID(), name: defaultNest, description, author: '', createdAt: at, updatedAt: at };
  return (await stores.nests.ensure(nest)).id;
}
