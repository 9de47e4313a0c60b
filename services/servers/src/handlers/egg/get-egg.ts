import { type Handler, requirePermission } from '@panel/rpc';
import type { EggServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { fail } from '../../reasons.js';

export function getEgg({ stores }: ServersContext): Handler<EggServiceService['getEgg']> {
  return async ({ eggId }, { actor }) => {
    requirePermission(actor, 'eggs.view');
    const egg = await stores.eggs.get(eggId);
    if (!egg) throw fail('EGG_NOT_FOUND', 'no such egg', { egg_id: eggId });
    return { egg: presentEgg(egg) };
  };
}
