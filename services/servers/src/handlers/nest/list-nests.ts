import { parsePage } from '@panel/kit/mongo';
import { Nest, type NestServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';
import { listNests } from '../../usecases/nests/get-nest.js';
import { pageInfo } from '../read-request.js';

export function handleListNests(context: ServersContext): Handler<NestServiceService['listNests']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'nameKey' });
    const { nests, total } = await listNests(context, page);
    return { nests: presentEach(call, nests, presentNest, Nest), page: pageInfo(page, total) };
  };
}
