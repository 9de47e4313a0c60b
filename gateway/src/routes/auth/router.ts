import { userAgentOf } from '../../http/user-agent.js';
import { account, empty, json, one, open, planned, route, type Route } from '../route.js';
import { presentLogin, presentTokens } from './present.js';
import { loginAnswer, loginBody, refreshBody, tokenSet } from './schema.js';
import { noBody } from '../no-body.js';

export const authRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/auth/login',
    summary: 'Exchange e-mail and password for a token set, or for a two-factor challenge',
    access: open,
    rate: 'auth',
    body: json(loginBody),
    answer: one(loginAnswer),
    work: async ({ body, services, rpc, headers }) =>
      presentLogin(await services.auth.login({ ...body, userAgent: userAgentOf(headers) }, rpc)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/refresh',
    summary: 'Exchange a refresh token for a new token set; it works once',
    access: open,
    rate: 'auth',
    body: json(refreshBody),
    answer: one(tokenSet),
    work: async ({ body, services, rpc, headers }) => {
      const request = { refreshToken: body.refresh_token, userAgent: userAgentOf(headers) };
      return presentTokens((await services.auth.refreshSession(request, rpc)).tokens);
    },
  }),
  planned('POST', '/api/v1/auth/2fa/verify', 'Answer a two-factor challenge', open, 'auth'),
  route({
    method: 'POST',
    path: '/api/v1/auth/logout',
    summary: 'End the session of this token',
    access: account,
    rate: 'general',
    body: json(noBody),
    answer: empty,
    work: async ({ services, rpc }) => {
      await services.auth.logout({}, rpc);
    },
  }),
];
