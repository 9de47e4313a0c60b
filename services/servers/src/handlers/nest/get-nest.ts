import { type Handler, requirePermission } from '@panel/rpc';
import type { NestServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';
import { fail } from '../../reasons.js';

export function getNest({ stores }: ServersContext): Handler<NestServiceService['getNest']> {
  return async ({ nestId }, { actor }) => {
    requirePermission(actor, 'nests.view');
    const nest = await stores.nests.get(nestId);
    if (!nest) throw fail('NEST_NOT_FOUND', 'no such nest', { nest_id: nestId });
    const counts = await stores.eggs.countByNest([nestId]);
    return { nest: presentNest(nest, counts.get(nestId) ?? 0) };
  };
}
