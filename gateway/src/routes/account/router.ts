import { listQuery, pageRequest } from '../list-query.js';
import { account, empty, json, list, one, planned, route, type Route } from '../route.js';
import { presentApiKey, presentCreatedApiKey, presentSession, presentUser } from './present.js';
import { apiKey, createApiKeyBody, createdApiKey, session, user } from './schema.js';

export const accountRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account',
    summary: 'Who you are',
    access: account,
    rate: 'general',
    answer: one(user),
    work: async ({ services, rpc }) => presentUser((await services.account.getAccount({}, rpc)).user),
  }),
  planned('PUT', '/api/v1/account', 'Change your profile', account),
  planned('PUT', '/api/v1/account/password', 'Change your password; your other sessions end', account),
  route({
    method: 'GET',
    path: '/api/v1/account/api-keys',
    summary: 'Your API keys',
    access: account,
    rate: 'general',
    query: listQuery('created_at', 'description', 'last_used_at'),
    answer: list(apiKey),
    work: async ({ query, services, rpc }) => {
      const { apiKeys, page } = await services.account.listApiKeys({ page: pageRequest(query) }, rpc);
      return { items: apiKeys.map(presentApiKey), page };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/account/api-keys',
    summary: 'Create an API key; its value is shown in this answer only',
    access: account,
    rate: 'general',
    body: json(createApiKeyBody),
    answer: one(createdApiKey),
    status: 201,
    work: async ({ body, services, rpc }) => {
      const request = {
        description: body.description,
        allowedIps: body.allowed_ips,
        expireTime: body.expires_at ?? undefined,
        permissions: body.permissions ? { permissions: body.permissions } : undefined,
      };
      return presentCreatedApiKey(await services.account.createApiKey(request, rpc));
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/account/api-keys/{key-id}',
    summary: 'Delete an API key; it stops working at once',
    access: account,
    rate: 'general',
    answer: empty,
    work: async ({ params, services, rpc }) => {
      await services.account.deleteApiKey({ apiKeyId: params.key_id }, rpc);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/account/sessions',
    summary: 'Your sessions',
    access: account,
    rate: 'general',
    query: listQuery('created_at', 'last_used_at'),
    answer: list(session),
    work: async ({ query, services, rpc }) => {
      const { sessions, page } = await services.account.listSessions({ page: pageRequest(query) }, rpc);
      return { items: sessions.map(presentSession), page };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/account/sessions/{session-id}',
    summary: 'End a session',
    access: account,
    rate: 'general',
    answer: empty,
    work: async ({ params, services, rpc }) => {
      await services.account.revokeSession({ sessionId: params.session_id }, rpc);
    },
  }),
];
