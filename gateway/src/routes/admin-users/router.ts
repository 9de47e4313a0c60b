import {
  CreateUserRequest,
  CredentialServiceService,
  UpdateUserRequest,
  UserServiceService,
} from '@panel/protos/identity';
import { apiKey, session } from '../account/resource.js';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { admin, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { adminUser, deleteUserQuery, userListQuery } from './resource.js';

const users = '/api/v1/admin/users';
const user = `${users}/{id}` as const;

const userRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: users,
    summary: 'All users',
    access: admin(UserServiceService.listUsers),
    rate: 'general',
    query: userListQuery,
    response: list(adminUser.schema),
    handler: async ({ query, services, rpc }) => {
      const request = {
        page: pageRequest(query),
        roleId: query.role_id ?? '',
        twoFactorEnabled: query.two_factor_enabled,
        email: query.email ?? '',
        externalId: query.external_id ?? '',
      };
      const answer = await services.users.listUsers(request, rpc);
      return { items: answer.users.map(adminUser.present), page: answer.page };
    },
  }),
  route({
    method: 'POST',
    path: users,
    summary: 'Create a user; without a password the user gets a mail to choose one',
    access: admin(UserServiceService.createUser),
    rate: 'general',
    body: json(adminUser.createBody),
    response: one(adminUser.schema),
    status: 201,
    handler: async ({ body, services, rpc }) =>
      adminUser.present((await services.users.createUser(adminUser.read(CreateUserRequest, body), rpc)).user),
  }),
  route({
    method: 'GET',
    path: user,
    summary: 'One user',
    access: admin(UserServiceService.getUser),
    rate: 'general',
    response: one(adminUser.schema),
    handler: async ({ params, services, rpc }) =>
      adminUser.present((await services.users.getUser({ userId: params.id }, rpc)).user),
  }),
  route({
    method: 'PUT',
    path: user,
    summary: 'Change a user; only the fields given. A new password ends all sessions',
    access: admin(UserServiceService.updateUser),
    rate: 'general',
    body: json(adminUser.updateBody),
    response: one(adminUser.schema),
    handler: async ({ params, body, services, rpc }) =>
      adminUser.present(
        (await services.users.updateUser(adminUser.read(UpdateUserRequest, body, { userId: params.id }), rpc)).user,
      ),
  }),
  route({
    method: 'DELETE',
    path: user,
    summary: 'Delete a user who owns no servers, and has and owes nothing; the latter not with `?force=true`',
    access: admin(UserServiceService.deleteUser),
    rate: 'general',
    query: deleteUserQuery,
    response: empty,
    handler: async ({ params, query, services, rpc }) => {
      await services.users.deleteUser({ userId: params.id, force: query.force ?? false }, rpc);
    },
  }),
];

const credentialRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${user}/api-keys`,
    summary: 'API keys of a user',
    access: admin(CredentialServiceService.listUserApiKeys),
    rate: 'general',
    query: listQuery('created_at', 'description', 'last_used_at'),
    response: list(apiKey.schema),
    handler: async ({ params, query, services, rpc }) => {
      const request = { userId: params.id, page: pageRequest(query) };
      const { apiKeys, page } = await services.credentials.listUserApiKeys(request, rpc);
      return { items: apiKeys.map(apiKey.present), page };
    },
  }),
  route({
    method: 'DELETE',
    path: `${user}/api-keys/{key-id}`,
    summary: 'Delete an API key of a user',
    access: admin(CredentialServiceService.deleteUserApiKey),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.credentials.deleteUserApiKey({ userId: params.id, apiKeyId: params.key_id }, rpc);
    },
  }),
  route({
    method: 'GET',
    path: `${user}/sessions`,
    summary: 'Sessions of a user',
    access: admin(CredentialServiceService.listUserSessions),
    rate: 'general',
    query: listQuery('created_at', 'last_used_at'),
    response: list(session.schema),
    handler: async ({ params, query, services, rpc }) => {
      const request = { userId: params.id, page: pageRequest(query) };
      const { sessions, page } = await services.credentials.listUserSessions(request, rpc);
      return { items: sessions.map(session.present), page };
    },
  }),
  route({
    method: 'DELETE',
    path: `${user}/sessions`,
    summary: 'End all sessions of a user',
    access: admin(CredentialServiceService.revokeUserSessions),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.credentials.revokeUserSessions({ userId: params.id }, rpc);
    },
  }),
  route({
    method: 'DELETE',
    path: `${user}/2fa`,
    summary: 'Switch off two-factor authentication of a user who lost every way in',
    access: admin(UserServiceService.disableUserTwoFactor),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.users.disableUserTwoFactor({ userId: params.id }, rpc);
    },
  }),
];

export const adminUserRoutes: readonly Route[] = [...userRoutes, ...credentialRoutes];
