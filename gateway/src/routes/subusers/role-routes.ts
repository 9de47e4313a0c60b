import { SubuserServiceService } from '@panel/protos/servers';
import { listQuery, selectPage } from '../../declaration/list-query.js';
import { empty, json, list, one, route, type Route, server } from '../../declaration/route.js';
import { createRoleBody, subuserRole, updateRoleBody } from './resource.js';

const roles = '/api/v1/servers/{id}/subuser-roles';

export const subuserRoleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: roles,
    summary: 'Roles that subusers of the server can have',
    access: server(SubuserServiceService.listSubuserRoles),
    rate: 'general',
    query: listQuery('name'),
    response: list(subuserRole.schema),
    handler: async ({ params, query, services, rpc }) => {
      const found = await services.subusers.listSubuserRoles({ serverId: params.id }, rpc);
      return selectPage(found.roles.map(subuserRole.present), query, ({ name }) => name);
    },
  }),
  route({
    method: 'POST',
    path: roles,
    summary: 'Add a role',
    access: server(SubuserServiceService.createSubuserRole),
    rate: 'general',
    body: json(createRoleBody),
    response: one(subuserRole.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) =>
      subuserRole.present((await services.subusers.createSubuserRole({ serverId: params.id, ...body }, rpc)).role),
  }),
  route({
    method: 'PUT',
    path: `${roles}/{role-id}`,
    summary: 'Change a role, and what every subuser with it may do',
    access: server(SubuserServiceService.updateSubuserRole),
    rate: 'general',
    body: json(updateRoleBody),
    response: one(subuserRole.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = {
        serverId: params.id,
        roleId: params.role_id,
        name: body.name,
        permissions: body.permissions && { permissions: body.permissions },
      };
      return subuserRole.present((await services.subusers.updateSubuserRole(request, rpc)).role);
    },
  }),
  route({
    method: 'DELETE',
    path: `${roles}/{role-id}`,
    summary: 'Delete a role that no subuser has',
    access: server(SubuserServiceService.deleteSubuserRole),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.subusers.deleteSubuserRole({ serverId: params.id, roleId: params.role_id }, rpc);
    },
  }),
];
