import { serve, type ServedService } from '@panel/kit';
import { AccountServiceService, AuthServiceService, UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../context.js';
import { createApiKey } from './account/create-api-key.js';
import { deleteApiKey } from './account/delete-api-key.js';
import { getAccount } from './account/get-account.js';
import { listApiKeys } from './account/list-api-keys.js';
import { listSessions } from './account/list-sessions.js';
import { revokeSession } from './account/revoke-session.js';
import { authenticate } from './auth/authenticate.js';
import { login } from './auth/login.js';
import { logout } from './auth/logout.js';
import { refreshSession } from './auth/refresh-session.js';
import { ensureFirstAdmin } from './user/ensure-first-admin.js';
import { getUser } from './user/get-user.js';

/** Every RPC of the service: the table of contents of this folder. */
export function identityServices(context: IdentityContext): readonly ServedService[] {
  return [
    serve(AuthServiceService, {
      login: login(context),
      refreshSession: refreshSession(context),
      logout: logout(context),
      authenticate: authenticate(context),
    }),
    serve(AccountServiceService, {
      getAccount: getAccount(context),
      listApiKeys: listApiKeys(context),
      createApiKey: createApiKey(context),
      deleteApiKey: deleteApiKey(context),
      listSessions: listSessions(context),
      revokeSession: revokeSession(context),
    }),
    serve(UserServiceService, {
      ensureFirstAdmin: ensureFirstAdmin(context),
      getUser: getUser(context),
    }),
  ];
}
