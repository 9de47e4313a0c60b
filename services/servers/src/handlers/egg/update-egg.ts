import type { EggServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { updateEgg } from '../../usecases/eggs/update-egg.js';
import { readEggUpdate } from './read-request.js';

export function handleUpdateEgg(context: ServersContext): Handler<EggServiceService['updateEgg']> {
  return async (request) => {
    const { eggId, nestId } = request;
    return { egg: presentEgg(await updateEgg(context, eggId, { nestId, spec: readEggUpdate(request) })) };
  };
}
