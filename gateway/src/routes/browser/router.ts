import type { TokenSet } from '@panel/protos/identity';
import type { z } from 'zod';
import { consoleCookie, readConsoleCookie, removedConsoleCookie } from '../../browser/console-cookie.js';
import { noBody } from '../../declaration/body.js';
import { required } from '../../declaration/present.js';
import { empty, json, one, publicAccess, route, type Route, type RouteRequest } from '../../declaration/route.js';
import { userAgentOf } from '../../http/user-agent.js';
import { unauthenticated } from '../../reasons.js';
import { challenge, loginBody, secondFactorProof, verifyTwoFactorBody } from '../auth/resource.js';
import { browserLoginResponse, browserSession } from './resource.js';

type HttpExchange = Pick<RouteRequest, 'rawExchange'>;

function openSession(
  { rawExchange }: HttpExchange,
  message: TokenSet | undefined,
): z.input<typeof browserSession.schema> {
  const { refreshToken, refreshExpiresInSeconds } = required(message, 'tokens');
  const { request, response } = rawExchange;
  response.setHeader('Set-Cookie', consoleCookie(request.headers, refreshToken, refreshExpiresInSeconds));
  return browserSession.present(message);
}

/** The only routes that read the HttpOnly cookie. Signing in always opens a new session, against fixation. */
export const browserRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/browser/login',
    summary: 'Sign a page of the panel in; the refresh token goes into a cookie',
    access: publicAccess,
    isOwnOriginOnly: true,
    rate: 'auth',
    body: json(loginBody),
    response: one(browserLoginResponse),
    refusals: [401],
    headers: ['Set-Cookie'],
    handler: async ({ body, services, rpc, headers, rawExchange }) => {
      const { result } = await services.auth.login({ ...body, userAgent: userAgentOf(headers) }, rpc);
      if (result?.$case === 'challenge') return challenge.present(result.value);
      return openSession({ rawExchange }, result?.value);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/browser/2fa',
    summary: 'Answer the two-factor challenge of such a sign-in',
    access: publicAccess,
    isOwnOriginOnly: true,
    rate: 'auth',
    body: json(verifyTwoFactorBody),
    response: one(browserSession.schema),
    refusals: [401],
    headers: ['Set-Cookie'],
    handler: async ({ body, services, rpc, headers, rawExchange }) => {
      const request = { token: body.token, proof: secondFactorProof(body), userAgent: userAgentOf(headers) };
      return openSession({ rawExchange }, (await services.auth.verifyTwoFactor(request, rpc)).tokens);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/browser/refresh',
    summary: 'Exchange the cookie for a new access token and a new cookie',
    access: publicAccess,
    isOwnOriginOnly: true,
    rate: 'sign_in',
    body: json(noBody),
    response: one(browserSession.schema),
    refusals: [401],
    headers: ['Set-Cookie'],
    handler: async ({ services, rpc, headers, rawExchange }) => {
      const refreshToken = readConsoleCookie(rawExchange.request.headers);
      if (refreshToken === null) throw unauthenticated();
      // A refusal keeps the cookie: another tab may just have replaced it.
      const request = { refreshToken, userAgent: userAgentOf(headers), repeatRecent: true };
      return openSession({ rawExchange }, (await services.auth.refreshSession(request, rpc)).tokens);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/browser/logout',
    summary: 'End the session of the cookie and remove it',
    access: publicAccess,
    isOwnOriginOnly: true,
    rate: 'sign_in',
    body: json(noBody),
    response: empty,
    headers: ['Set-Cookie'],
    handler: async ({ services, rpc, rawExchange }) => {
      const { request, response } = rawExchange;
      const refreshToken = readConsoleCookie(request.headers);
      if (refreshToken !== null) await services.auth.endSession({ refreshToken }, rpc);
      response.setHeader('Set-Cookie', removedConsoleCookie(request.headers));
    },
  }),
];
