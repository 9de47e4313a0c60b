import { RegistryServiceService } from '@panel/protos/servers';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { admin, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { withSentNames } from '../../declaration/sent-names.js';
import {
  createRegistryBody,
  createRegistryRequest,
  registry,
  registryNames,
  updateRegistryBody,
  updateRegistryRequest,
} from './resource.js';

const registries = '/api/v1/admin/registries';

export const adminRegistryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: registries,
    summary: 'All registries with credentials',
    access: admin(RegistryServiceService.listRegistries),
    rate: 'general',
    query: listQuery('created_at', 'host'),
    response: list(registry.schema),
    handler: async ({ query, services, rpc }) => {
      const answer = await services.registries.listRegistries({ page: pageRequest(query) }, rpc);
      return { items: answer.registries.map(registry.present), page: answer.page };
    },
  }),
  route({
    method: 'POST',
    path: registries,
    summary: 'Add credentials of an image registry, in one of the forms that `docker login` writes',
    access: admin(RegistryServiceService.createRegistry),
    rate: 'general',
    body: json(createRegistryBody),
    response: one(registry.schema),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const request = createRegistryRequest(body);
      const created = await withSentNames(registryNames(body), services.registries.createRegistry(request, rpc));
      return registry.present(created.registry);
    },
  }),
  route({
    method: 'GET',
    path: `${registries}/{id}`,
    summary: 'One registry',
    access: admin(RegistryServiceService.getRegistry),
    rate: 'general',
    response: one(registry.schema),
    handler: async ({ params, services, rpc }) =>
      registry.present((await services.registries.getRegistry({ registryId: params.id }, rpc)).registry),
  }),
  route({
    method: 'PUT',
    path: `${registries}/{id}`,
    summary: 'Change a registry; only the fields given, another host with its credentials',
    access: admin(RegistryServiceService.updateRegistry),
    rate: 'general',
    body: json(updateRegistryBody),
    response: one(registry.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = updateRegistryRequest(params.id, body);
      const updated = await withSentNames(registryNames(body), services.registries.updateRegistry(request, rpc));
      return registry.present(updated.registry);
    },
  }),
  route({
    method: 'DELETE',
    path: `${registries}/{id}`,
    summary: 'Remove a registry with its credentials',
    access: admin(RegistryServiceService.deleteRegistry),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.registries.deleteRegistry({ registryId: params.id }, rpc);
    },
  }),
];
