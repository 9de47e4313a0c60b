import { type Handler } from '@panel/rpc';
import type { NestServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';
import { loadNest } from '../../usecases/eggs/load-egg.js';

export function getNest({ stores }: ServersContext): Handler<NestServiceService['getNest']> {
  return async ({ nestId }) => {
    const nest = await loadNest(stores, nestId);
    const counts = await stores.eggs.countByNest([nestId]);
    return { nest: presentNest(nest, counts.get(nestId) ?? 0) };
  };
}
