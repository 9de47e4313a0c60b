import type { EggServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { getEgg } from '../../usecases/eggs/get-egg.js';

export function handleGetEgg(context: ServersContext): Handler<EggServiceService['getEgg']> {
  return async ({ eggId }) => ({ egg: presentEgg(await getEgg(context, eggId)) });
}
