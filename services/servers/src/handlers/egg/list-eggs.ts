import { parsePage } from '@panel/kit/mongo';
import { Egg, type EggServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { listEggs } from '../../usecases/eggs/get-egg.js';
import { pageInfo } from '../read-request.js';

export function handleListEggs(context: ServersContext): Handler<EggServiceService['listEggs']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'spec.name' });
    const { eggs, total } = await listEggs(context, request.nestId, page);
    return { eggs: presentEach(call, eggs, presentEgg, Egg), page: pageInfo(page, total) };
  };
}
