import { serve, type ServedService } from '@panel/rpc';
import {
  AccountServiceService,
  AuthServiceService,
  CredentialServiceService,
  RoleServiceService,
  UserServiceService,
} from '@panel/protos/identity';
import type { IdentityContext } from '../context.js';
import { beginTwoFactor } from './account/begin-two-factor.js';
import { changePassword } from './account/change-password.js';
import { confirmTwoFactor } from './account/confirm-two-factor.js';
import { createApiKey } from './account/create-api-key.js';
import { deleteApiKey } from './account/delete-api-key.js';
import { disableTwoFactor } from './account/disable-two-factor.js';
import { getAccount } from './account/get-account.js';
import { listApiKeys } from './account/list-api-keys.js';
import { listSessions } from './account/list-sessions.js';
import { revokeSession } from './account/revoke-session.js';
import { updateAccount } from './account/update-account.js';
import { createSshKey } from './account/create-ssh-key.js';
import { deleteSshKey } from './account/delete-ssh-key.js';
import { getPreferences } from './account/get-preferences.js';
import { listSshKeys } from './account/list-ssh-keys.js';
import { updatePreferences } from './account/update-preferences.js';
import { authenticate } from './auth/authenticate.js';
import { authenticateSftp } from './auth/authenticate-sftp.js';
import { login } from './auth/login.js';
import { endSession } from './auth/end-session.js';
import { logout } from './auth/logout.js';
import { refreshSession } from './auth/refresh-session.js';
import { requestPasswordReset } from './auth/request-password-reset.js';
import { resetPassword } from './auth/reset-password.js';
import { verifyTwoFactor } from './auth/verify-two-factor.js';
import { deleteUserApiKey } from './credential/delete-user-api-key.js';
import { listUserApiKeys } from './credential/list-user-api-keys.js';
import { listUserSessions } from './credential/list-user-sessions.js';
import { revokeUserSessions } from './credential/revoke-user-sessions.js';
import { createRole } from './role/create-role.js';
import { deleteRole } from './role/delete-role.js';
import { getRole } from './role/get-role.js';
import { listRoles } from './role/list-roles.js';
import { updateRole } from './role/update-role.js';
import { batchGetUsers } from './user/batch-get-users.js';
import { createUser } from './user/create-user.js';
import { deleteUser } from './user/delete-user.js';
import { disableUserTwoFactor } from './user/disable-user-two-factor.js';
import { ensureFirstAdmin } from './user/ensure-first-admin.js';
import { batchGetUsersByEmail } from './user/batch-get-users-by-email.js';
import { findUserByEmail } from './user/find-user-by-email.js';
import { getUser } from './user/get-user.js';
import { listUsers } from './user/list-users.js';
import { updateUser } from './user/update-user.js';

/** Every RPC of the service: the table of contents of this folder. */
export function createHandlers(context: IdentityContext): ServedService[] {
  return [
    serve(AuthServiceService, {
      login: login(context),
      verifyTwoFactor: verifyTwoFactor(context),
      refreshSession: refreshSession(context),
      logout: logout(context),
      endSession: endSession(context),
      requestPasswordReset: requestPasswordReset(context),
      resetPassword: resetPassword(context),
      authenticate: authenticate(context),
      authenticateSftp: authenticateSftp(context),
    }),
    serve(AccountServiceService, {
      getAccount: getAccount(context),
      updateAccount: updateAccount(context),
      changePassword: changePassword(context),
      beginTwoFactor: beginTwoFactor(context),
      confirmTwoFactor: confirmTwoFactor(context),
      disableTwoFactor: disableTwoFactor(context),
      listApiKeys: listApiKeys(context),
      createApiKey: createApiKey(context),
      deleteApiKey: deleteApiKey(context),
      listSessions: listSessions(context),
      revokeSession: revokeSession(context),
      listSshKeys: listSshKeys(context),
      createSshKey: createSshKey(context),
      deleteSshKey: deleteSshKey(context),
      getPreferences: getPreferences(context),
      updatePreferences: updatePreferences(context),
    }),
    serve(UserServiceService, {
      ensureFirstAdmin: ensureFirstAdmin(context),
      getUser: getUser(context),
      batchGetUsers: batchGetUsers(context),
      findUserByEmail: findUserByEmail(context),
      batchGetUsersByEmail: batchGetUsersByEmail(context),
      listUsers: listUsers(context),
      createUser: createUser(context),
      updateUser: updateUser(context),
      deleteUser: deleteUser(context),
      disableUserTwoFactor: disableUserTwoFactor(context),
    }),
    serve(RoleServiceService, {
      listRoles: listRoles(context),
      getRole: getRole(context),
      createRole: createRole(context),
      updateRole: updateRole(context),
      deleteRole: deleteRole(context),
    }),
    serve(CredentialServiceService, {
      listUserApiKeys: listUserApiKeys(context),
      deleteUserApiKey: deleteUserApiKey(context),
      listUserSessions: listUserSessions(context),
      revokeUserSessions: revokeUserSessions(context),
    }),
  ];
}
