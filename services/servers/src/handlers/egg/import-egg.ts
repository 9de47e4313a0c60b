import type { EggServiceService } from '@panel/protos/servers';
import { type Handler, requirePermission } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { importEgg } from '../../usecases/eggs/import-egg.js';
import { readImport } from './read-request.js';

export function handleImportEgg(context: ServersContext): Handler<EggServiceService['importEgg']> {
  return async (request, { actor, idempotencyId }) => {
    if (request.eggId !== undefined) requirePermission(actor, 'eggs.update');
    const { egg, warnings } = await importEgg(context, readImport(request), idempotencyId);
    return { egg: presentEgg(egg), warnings: [...warnings] };
  };
}
