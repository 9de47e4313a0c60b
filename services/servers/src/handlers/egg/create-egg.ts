import { randomUUID } from 'node:crypto';
import { createOnce, type Handler, requirePermission } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import { type EggServiceService, EggSpec } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { checkEgg } from '../../domain/eggs/check-egg.js';
import { presentEgg, readEggSpec } from '../../present/egg.js';
import { fail } from '../../reasons.js';

export function createEgg({ stores, clock }: ServersContext): Handler<EggServiceService['createEgg']> {
  return async (request, { actor, idempotencyId }) => {
    requirePermission(actor, 'eggs.create');
    const { nestId } = request;
    if (nestId === '') throw invalidFields({ nest_id: ['is required'] });
    const spec = readEggSpec(request.spec ?? EggSpec.create());
    checkEgg(spec);
    const { object: egg } = await createOnce(idempotencyId, {
      find: async (id) => stores.eggs.get(id),
      create: async (id) => {
        if (!(await stores.nests.get(nestId))) throw fail('NEST_NOT_FOUND', 'no such nest', { nest_id: nestId });
        const at = clock();
        return stores.eggs.create({ id, nestId, uuid: randomUUID(), spec, createdAt: at, updatedAt: at });
      },
    });
    return { egg: presentEgg(egg) };
  };
}
