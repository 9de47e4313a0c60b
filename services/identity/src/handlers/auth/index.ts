import { AuthServiceService } from '@panel/protos/identity';
import { serve, type ServedService } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { handleAuthenticate } from './authenticate.js';
import { handleAuthenticateSftp } from './authenticate-sftp.js';
import { handleEndSession } from './end-session.js';
import { handleLogin } from './login.js';
import { handleLogout } from './logout.js';
import { handleRefreshSession } from './refresh-session.js';
import { handleRequestPasswordReset } from './request-password-reset.js';
import { handleResetPassword } from './reset-password.js';
import { handleVerifyTwoFactor } from './verify-two-factor.js';

export function createAuthService(context: IdentityContext): ServedService {
  return serve(AuthServiceService, {
    login: handleLogin(context),
    verifyTwoFactor: handleVerifyTwoFactor(context),
    refreshSession: handleRefreshSession(context),
    logout: handleLogout(context),
    endSession: handleEndSession(context),
    requestPasswordReset: handleRequestPasswordReset(context),
    resetPassword: handleResetPassword(context),
    authenticate: handleAuthenticate(context),
    authenticateSftp: handleAuthenticateSftp(context),
  });
}
