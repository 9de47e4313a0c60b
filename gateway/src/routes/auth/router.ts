import { AuthServiceService } from '@panel/protos/identity';
import { userAgentOf } from '../../http/user-agent.js';
import { account, empty, json, one, publicAccess, route, type Route } from '../../declaration/route.js';
import {
  accepted,
  forgotPasswordBody,
  loginBody,
  loginResponse,
  presentLogin,
  refreshBody,
  resetPasswordBody,
  secondFactorProof,
  tokenSet,
  verifyTwoFactorBody,
} from './resource.js';
import { noBody } from '../../declaration/body.js';

export const authRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/auth/login',
    summary: 'Exchange e-mail and password for a token set, or for a two-factor challenge',
    access: publicAccess,
    rate: 'auth',
    body: json(loginBody),
    response: one(loginResponse),
    refusals: [401],
    handler: async ({ body, services, rpc, headers }) =>
      presentLogin(await services.auth.login({ ...body, userAgent: userAgentOf(headers) }, rpc)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/refresh',
    summary: 'Exchange a refresh token for a new token set; it works once',
    access: publicAccess,
    rate: 'auth',
    body: json(refreshBody),
    response: one(tokenSet.schema),
    refusals: [401],
    handler: async ({ body, services, rpc, headers }) => {
      const request = { refreshToken: body.refresh_token, userAgent: userAgentOf(headers) };
      return tokenSet.present((await services.auth.refreshSession(request, rpc)).tokens);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/2fa/verify',
    summary: 'Answer a two-factor challenge',
    access: publicAccess,
    rate: 'auth',
    body: json(verifyTwoFactorBody),
    response: one(tokenSet.schema),
    refusals: [401],
    handler: async ({ body, services, rpc, headers }) => {
      const request = { token: body.token, proof: secondFactorProof(body), userAgent: userAgentOf(headers) };
      return tokenSet.present((await services.auth.verifyTwoFactor(request, rpc)).tokens);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/password/forgot',
    summary: 'Mail a link to choose a new password with; the answer is the same for every address',
    access: publicAccess,
    rate: 'auth',
    body: json(forgotPasswordBody),
    response: one(accepted),
    handler: async ({ body, services, rpc }) => {
      await services.auth.requestPasswordReset(body, rpc);
      return { accepted: true };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/password/reset',
    summary: 'Choose a new password with the token of such a mail; all sessions end',
    access: publicAccess,
    rate: 'auth',
    body: json(resetPasswordBody),
    response: one(accepted),
    refusals: [401],
    handler: async ({ body, services, rpc }) => {
      await services.auth.resetPassword(body, rpc);
      return { accepted: true };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/logout',
    summary: 'End the session of this token',
    access: account(AuthServiceService.logout),
    rate: 'general',
    body: json(noBody),
    response: empty,
    allowedBefore2fa: true,
    handler: async ({ services, rpc }) => {
      await services.auth.logout({}, rpc);
    },
  }),
];
