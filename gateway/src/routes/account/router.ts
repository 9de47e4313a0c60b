import { ActivityServiceService } from '@panel/protos/admin';
import { AccountServiceService } from '@panel/protos/identity';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { readActorNames } from '../activity/actor-names.js';
import { activityEvent, presentActivity } from '../activity/resource.js';
import { accepted, disableTwoFactorBody, secondFactorProof } from '../auth/resource.js';
import { account, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { preferenceRoutes } from './preferences.js';
import { sshKeyRoutes } from './ssh-keys.js';
import {
  apiKey,
  beginTwoFactorBody,
  changePasswordBody,
  confirmTwoFactorBody,
  createApiKeyBody,
  createdApiKey,
  recoveryCodes,
  session,
  twoFactorSecret,
  updateAccountBody,
  user,
} from './resource.js';

const profileRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account',
    summary: 'Who you are',
    access: account(AccountServiceService.getAccount),
    rate: 'general',
    response: one(user.schema),
    allowedBefore2fa: true,
    handler: async ({ services, rpc }) => user.present((await services.account.getAccount({}, rpc)).user),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/account',
    summary: 'Change your profile; only the fields given',
    access: account(AccountServiceService.updateAccount),
    rate: 'general',
    body: json(updateAccountBody),
    response: one(user.schema),
    handler: async ({ body, services, rpc }) => {
      const request = {
        email: body.email,
        currentPassword: body.current_password ?? '',
        username: body.username,
        firstName: body.first_name,
        lastName: body.last_name,
        language: body.language,
      };
      return user.present((await services.account.updateAccount(request, rpc)).user);
    },
  }),
  route({
    method: 'PUT',
    path: '/api/v1/account/password',
    summary: 'Change your password; your other sessions end',
    access: account(AccountServiceService.changePassword),
    rate: 'general',
    body: json(changePasswordBody),
    response: one(accepted),
    handler: async ({ body, services, rpc }) => {
      const request = { currentPassword: body.current_password, password: body.password };
      await services.account.changePassword(request, rpc);
      return { accepted: true };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/account/activity',
    summary: 'What was done with your account, newest first',
    access: account(ActivityServiceService.listActivity),
    rate: 'general',
    query: listQuery('created_at'),
    response: list(activityEvent.schema),
    handler: async ({ query, caller, services, rpc, asGateway }) => {
      const request = { page: pageRequest(query), userId: caller?.identity.userId ?? '', serverId: '' };
      const { events, page } = await services.activity.listActivity(request, rpc);
      const names = await readActorNames(services, events, asGateway);
      return { items: events.map((event) => presentActivity(event, names)), page };
    },
  }),
];

const twoFactorRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/account/2fa',
    summary: 'Begin to set up two-factor authentication: a secret for an authenticator app',
    access: account(AccountServiceService.beginTwoFactor),
    rate: 'general',
    body: json(beginTwoFactorBody),
    response: one(twoFactorSecret),
    allowedBefore2fa: true,
    handler: async ({ body, services, rpc }) => {
      const { secret, otpauthUrl, qrCode } = await services.account.beginTwoFactor(body, rpc);
      return { secret, otpauth_url: otpauthUrl, qr_code: qrCode };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/account/2fa/confirm',
    summary: 'Switch two-factor authentication on with a first code',
    access: account(AccountServiceService.confirmTwoFactor),
    rate: 'general',
    body: json(confirmTwoFactorBody),
    response: one(recoveryCodes),
    allowedBefore2fa: true,
    handler: async ({ body, services, rpc }) => ({
      recovery_codes: (await services.account.confirmTwoFactor(body, rpc)).recoveryCodes,
    }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/account/2fa',
    summary: 'Switch two-factor authentication off',
    access: account(AccountServiceService.disableTwoFactor),
    rate: 'general',
    body: json(disableTwoFactorBody),
    response: empty,
    handler: async ({ body, services, rpc }) => {
      const request = { password: body.password, proof: secondFactorProof(body) };
      await services.account.disableTwoFactor(request, rpc);
    },
  }),
];

const credentialRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account/api-keys',
    summary: 'Your API keys',
    access: account(AccountServiceService.listApiKeys),
    rate: 'general',
    query: listQuery('created_at', 'description', 'last_used_at'),
    response: list(apiKey.schema),
    handler: async ({ query, services, rpc }) => {
      const { apiKeys, page } = await services.account.listApiKeys({ page: pageRequest(query) }, rpc);
      return { items: apiKeys.map(apiKey.present), page };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/account/api-keys',
    summary: 'Create an API key; its value is shown in this answer only',
    access: account(AccountServiceService.createApiKey),
    rate: 'general',
    body: json(createApiKeyBody),
    response: one(createdApiKey),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const request = {
        description: body.description,
        allowedIps: body.allowed_ips,
        expireTime: body.expires_at ?? undefined,
        permissions: body.permissions ? { permissions: body.permissions } : undefined,
      };
      const created = await services.account.createApiKey(request, rpc);
      return { ...apiKey.present(created.apiKey), key: created.key };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/account/api-keys/{key-id}',
    summary: 'Delete an API key; it stops working at once',
    access: account(AccountServiceService.deleteApiKey),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.account.deleteApiKey({ apiKeyId: params.key_id }, rpc);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/account/sessions',
    summary: 'Your sessions',
    access: account(AccountServiceService.listSessions),
    rate: 'general',
    query: listQuery('created_at', 'last_used_at'),
    response: list(session.schema),
    handler: async ({ query, services, rpc }) => {
      const { sessions, page } = await services.account.listSessions({ page: pageRequest(query) }, rpc);
      return { items: sessions.map(session.present), page };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/account/sessions/{session-id}',
    summary: 'End a session',
    access: account(AccountServiceService.revokeSession),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.account.revokeSession({ sessionId: params.session_id }, rpc);
    },
  }),
];

export const accountRoutes: readonly Route[] = [
  ...profileRoutes,
  ...twoFactorRoutes,
  ...credentialRoutes,
  ...sshKeyRoutes,
  ...preferenceRoutes,
];
