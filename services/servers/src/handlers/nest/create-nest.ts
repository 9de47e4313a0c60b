import type { NestServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';
import { createNest } from '../../usecases/nests/create-nest.js';

export function handleCreateNest(context: ServersContext): Handler<NestServiceService['createNest']> {
  return async ({ name, description, author }, { idempotencyId }) => {
    const fields = { name: name.trim(), description, author };
    return { nest: presentNest(await createNest(context, fields, idempotencyId)) };
  };
}
