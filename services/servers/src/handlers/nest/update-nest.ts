import type { NestServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';
import { updateNest } from '../../usecases/nests/update-nest.js';
import { definedFields } from '../../defined-fields.js';

export function handleUpdateNest(context: ServersContext): Handler<NestServiceService['updateNest']> {
  return async ({ nestId, name, description, author }) => {
    const fields = definedFields({ name: name?.trim(), description, author });
    return { nest: presentNest(await updateNest(context, nestId, fields)) };
  };
}
