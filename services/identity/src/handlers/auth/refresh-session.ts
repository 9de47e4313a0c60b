import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentTokens } from '../../present/tokens.js';
import { refreshSession } from '../../usecases/sessions/refresh-session.js';

export function handleRefreshSession(context: IdentityContext): Handler<typeof AuthServiceService.refreshSession> {
  return async ({ refreshToken, userAgent, repeatRecent }, { actor }) => {
    const tokens = await refreshSession(
      context,
      { refreshToken, repeatsRecent: repeatRecent === true },
      { actor, userAgent },
    );
    return { tokens: presentTokens(tokens) };
  };
}
