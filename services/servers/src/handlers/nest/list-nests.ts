import { type Handler, presentEach } from '@panel/rpc';
import { parsePage } from '@panel/kit/mongo';
import { Nest, type NestServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';

export function listNests({ stores }: ServersContext): Handler<NestServiceService['listNests']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'nameKey' });
    const { nests, total } = await stores.nests.list(page);
    const counts = await stores.eggs.countByNest(nests.map(({ id }) => id));
    return {
      nests: presentEach(call, nests, (nest) => presentNest(nest, counts.get(nest.id) ?? 0), Nest),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
