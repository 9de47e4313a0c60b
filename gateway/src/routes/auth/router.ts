import { userAgentOf } from '../../http/user-agent.js';
import { account, empty, json, one, open, route, type Route } from '../route.js';
import { presentLogin, presentTokens, secondFactorProof } from './present.js';
import {
  accepted,
  forgotPasswordBody,
  loginAnswer,
  loginBody,
  refreshBody,
  resetPasswordBody,
  tokenSet,
  verifyTwoFactorBody,
} from './schema.js';
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
  route({
    method: 'POST',
    path: '/api/v1/auth/2fa/verify',
    summary: 'Answer a two-factor challenge',
    access: open,
    rate: 'auth',
    body: json(verifyTwoFactorBody),
    answer: one(tokenSet),
    work: async ({ body, services, rpc, headers }) => {
      const request = { token: body.token, proof: secondFactorProof(body), userAgent: userAgentOf(headers) };
      return presentTokens((await services.auth.verifyTwoFactor(request, rpc)).tokens);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/password/forgot',
    summary: 'Mail a link to choose a new password with; the answer is the same for every address',
    access: open,
    rate: 'auth',
    body: json(forgotPasswordBody),
    answer: one(accepted),
    work: async ({ body, services, rpc }) => {
      await services.auth.requestPasswordReset(body, rpc);
      return { accepted: true };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/password/reset',
    summary: 'Choose a new password with the token of such a mail; all sessions end',
    access: open,
    rate: 'auth',
    body: json(resetPasswordBody),
    answer: one(accepted),
    work: async ({ body, services, rpc }) => {
      await services.auth.resetPassword(body, rpc);
      return { accepted: true };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/auth/logout',
    summary: 'End the session of this token',
    access: account,
    rate: 'general',
    body: json(noBody),
    answer: empty,
    isSetUp: true,
    work: async ({ services, rpc }) => {
      await services.auth.logout({}, rpc);
    },
  }),
];
