import { CreateRoleRequest, RoleServiceService, UpdateRoleRequest } from '@panel/protos/identity';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { admin, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { role } from './resource.js';

const roles = '/api/v1/admin/roles';

export const adminRoleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: roles,
    summary: 'All roles',
    access: admin(RoleServiceService.listRoles),
    rate: 'general',
    query: listQuery('created_at', 'name'),
    response: list(role.schema),
    handler: async ({ query, services, rpc }) => {
      const answer = await services.roles.listRoles({ page: pageRequest(query) }, rpc);
      return { items: answer.roles.map(role.present), page: answer.page };
    },
  }),
  route({
    method: 'POST',
    path: roles,
    summary: 'Create a role; it can hold no more than you do',
    access: admin(RoleServiceService.createRole),
    rate: 'general',
    body: json(role.createBody),
    response: one(role.schema),
    status: 201,
    handler: async ({ body, services, rpc }) =>
      role.present((await services.roles.createRole(role.read(CreateRoleRequest, body), rpc)).role),
  }),
  route({
    method: 'GET',
    path: `${roles}/{id}`,
    summary: 'One role',
    access: admin(RoleServiceService.getRole),
    rate: 'general',
    response: one(role.schema),
    handler: async ({ params, services, rpc }) =>
      role.present((await services.roles.getRole({ roleId: params.id }, rpc)).role),
  }),
  route({
    method: 'PUT',
    path: `${roles}/{id}`,
    summary: 'Change a role; only the fields given',
    access: admin(RoleServiceService.updateRole),
    rate: 'general',
    body: json(role.updateBody),
    response: one(role.schema),
    handler: async ({ params, body, services, rpc }) => {
      const permissions = body.permissions && { permissions: body.permissions };
      const request = role.read(UpdateRoleRequest, body, { roleId: params.id, permissions });
      return role.present((await services.roles.updateRole(request, rpc)).role);
    },
  }),
  route({
    method: 'DELETE',
    path: `${roles}/{id}`,
    summary: 'Delete a role that no user has',
    access: admin(RoleServiceService.deleteRole),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.roles.deleteRole({ roleId: params.id }, rpc);
    },
  }),
];
