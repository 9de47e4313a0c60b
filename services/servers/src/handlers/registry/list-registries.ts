import { parsePage } from '@panel/kit/mongo';
import { Registry, type RegistryServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentRegistry } from '../../present/registry.js';
import { listRegistries } from '../../usecases/registries/get-registry.js';
import { pageInfo } from '../read-request.js';

export function handleListRegistries(context: ServersContext): Handler<RegistryServiceService['listRegistries']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', host: 'host' });
    const { registries, total } = await listRegistries(context, page);
    return { registries: presentEach(call, registries, presentRegistry, Registry), page: pageInfo(page, total) };
  };
}
