import { type Handler, presentEach } from '@panel/rpc';
import { parsePage } from '@panel/kit/mongo';
import { Egg, type EggServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentEgg } from '../../present/egg.js';
import { loadNest } from '../../usecases/eggs/load-egg.js';

export function listEggs({ stores }: ServersContext): Handler<EggServiceService['listEggs']> {
  return async (request, call) => {
    const { nestId } = request;
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'spec.name' });
    if (nestId !== '') await loadNest(stores, nestId);
    const { eggs, total } = await stores.eggs.list({ nestId }, page);
    return { eggs: presentEach(call, eggs, presentEgg, Egg), page: { page: page.page, perPage: page.perPage, total } };
  };
}
