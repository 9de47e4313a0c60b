import { createOnce, type Handler, requirePermission } from '@panel/rpc';
import { type FieldMessages, invalidFields } from '@panel/kit';
import type { NestServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';

// oxlint-disable-next-line no-control-regex -- a name is one visible line, read as it is written, and never markup
const unfit = /[\u0000-\u001f\u007f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff<>]/;

export function createNest({ stores, clock }: ServersContext): Handler<NestServiceService['createNest']> {
  return async (request, { actor, idempotencyId }) => {
    requirePermission(actor, 'nests.create');
    const name = request.name.trim();
    const fields: FieldMessages = {};
    if (name === '') fields.name = ['is required'];
    else if (name.length > 191 || unfit.test(name))
      fields.name = ['must be one line of at most 191 characters, without < and >'];
    if (request.description.length > 5000) fields.description = ['must have at most 5000 characters'];
    if (request.author.length > 191) fields.author = ['must have at most 191 characters'];
    if (Object.keys(fields).length > 0) throw invalidFields(fields);
    const { description, author } = request;
    const { object: nest, isNew } = await createOnce(idempotencyId, {
      find: async (id) => stores.nests.get(id),
      create: async (id) => {
        const at = clock();
        return stores.nests.create({ id, name, description, author, createdAt: at, updatedAt: at });
      },
    });
    const eggs = isNew ? 0 : (await stores.eggs.countByNest([nest.id])).get(nest.id);
    return { nest: presentNest(nest, eggs ?? 0) };
  };
}
