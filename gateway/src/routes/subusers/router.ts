import { SubuserServiceService } from '@panel/protos/servers';
import type { z } from 'zod';
import { selectPage } from '../../declaration/list-query.js';
import { empty, json, list, one, route, type Route, server } from '../../declaration/route.js';
import { subuserRoleRoutes } from './role-routes.js';
import {
  createSubuserBody,
  deleteSubuserQuery,
  listSubusersQuery,
  pathRule,
  roleIdOf,
  subuser,
  updateSubuserBody,
} from './resource.js';

const subusers = '/api/v1/servers/{id}/subusers';

export const subuserRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: subusers,
    summary: 'Users with access to the server, and who is invited',
    access: server(SubuserServiceService.listSubusers),
    rate: 'general',
    query: listSubusersQuery,
    response: list(subuser.schema),
    handler: async ({ params, query, services, rpc }) => {
      const found = await services.subusers.listSubusers({ serverId: params.id }, rpc);
      const presented = found.subusers
        .map(subuser.present)
        .filter(({ status }) => query.status === undefined || status === query.status);
      return selectPage(presented, query, ({ user }) => `${user.email} ${user.username ?? ''}`);
    },
  }),
  route({
    method: 'POST',
    path: subusers,
    summary: 'Give a user access, or invite an address that has no account yet',
    access: server(SubuserServiceService.createSubuser),
    rate: 'general',
    body: json(createSubuserBody),
    response: one(subuser.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const request = {
        serverId: params.id,
        email: body.email,
        permissions: body.permissions ?? [],
        roleId: roleIdOf(body.role) ?? '',
        pathRules: body.path_rules.map(pathRule.readNew),
        expireTime: dateOf(body.expires_at),
      };
      return subuser.present((await services.subusers.createSubuser(request, rpc)).subuser);
    },
  }),
  route({
    method: 'PUT',
    path: `${subusers}/{subuser-id}`,
    summary: 'Change what a subuser may do; it holds from their next request',
    access: server(SubuserServiceService.updateSubuser),
    rate: 'general',
    body: json(updateSubuserBody),
    response: one(subuser.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = {
        serverId: params.id,
        subuserId: params.subuser_id,
        grant: grantOf(body),
        pathRules: body.path_rules && { rules: body.path_rules.map(pathRule.readNew) },
        expiry: body.expires_at === undefined ? undefined : { expireTime: dateOf(body.expires_at) },
      };
      return subuser.present((await services.subusers.updateSubuser(request, rpc)).subuser);
    },
  }),
  route({
    method: 'DELETE',
    path: `${subusers}/{subuser-id}`,
    summary: 'Take access, or an invitation, away; `?with_invited=true` also from whom they have given access',
    access: server(SubuserServiceService.deleteSubuser),
    rate: 'general',
    query: deleteSubuserQuery,
    response: empty,
    handler: async ({ params, query, services, rpc }) => {
      const { with_invited: withInvited = false } = query;
      await services.subusers.deleteSubuser({ serverId: params.id, subuserId: params.subuser_id, withInvited }, rpc);
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/servers/{id}/access',
    summary: 'Leave a server that was shared with you',
    access: server(SubuserServiceService.leaveServer),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.subusers.leaveServer({ serverId: params.id }, rpc);
    },
  }),
  ...subuserRoleRoutes,
];

function grantOf({ permissions, role }: Pick<z.output<typeof updateSubuserBody>, 'permissions' | 'role'>) {
  if (permissions !== undefined) return { $case: 'permissions' as const, value: { permissions } };
  const roleId = roleIdOf(role);
  return roleId === undefined ? undefined : { $case: 'roleId' as const, value: roleId };
}

function dateOf(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
