import { type Handler, requirePermission } from '@panel/rpc';
import type { EggServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { exportEgg as writeEggFile } from '../../domain/eggs/export-egg.js';
import { fail } from '../../reasons.js';

export function exportEgg({ stores, clock }: ServersContext): Handler<EggServiceService['exportEgg']> {
  return async ({ eggId }, { actor }) => {
    requirePermission(actor, 'eggs.export');
    const egg = await stores.eggs.get(eggId);
    if (!egg) throw fail('EGG_NOT_FOUND', 'no such egg', { egg_id: eggId });
    return { content: writeEggFile(egg.spec, clock()) };
  };
}
