import { type Handler } from '@panel/rpc';
import type { EggServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { loadEgg } from '../../usecases/eggs/load-egg.js';

export function getEgg({ stores }: ServersContext): Handler<EggServiceService['getEgg']> {
  return async ({ eggId }) => {
    return { egg: presentEgg(await loadEgg(stores, eggId)) };
  };
}
