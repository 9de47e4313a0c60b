import type { EggServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { createEgg } from '../../usecases/eggs/create-egg.js';
import { readNewEgg } from './read-request.js';

export function handleCreateEgg(context: ServersContext): Handler<EggServiceService['createEgg']> {
  return async (request, { idempotencyId }) => {
    return { egg: presentEgg(await createEgg(context, readNewEgg(request), idempotencyId)) };
  };
}
