import { type Handler, requirePermission } from '@panel/rpc';
import { type EggServiceService, ImportEggRequest_Format } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { importEgg as importFile } from '../../usecases/eggs/import-egg.js';

export function importEgg(context: ServersContext): Handler<EggServiceService['importEgg']> {
  return async ({ content, format, nestId, eggId }, { actor, idempotencyId }) => {
    if (eggId !== undefined) requirePermission(actor, 'eggs.update');
    const file = { content, format: readFormat(format), nestId, eggId };
    const { egg, warnings } = await importFile(context, file, idempotencyId);
    return { egg: presentEgg(egg), warnings: [...warnings] };
  };
}

function readFormat(format: ImportEggRequest_Format): 'json' | 'yaml' {
  return format === ImportEggRequest_Format.YAML ? 'yaml' : 'json';
}
