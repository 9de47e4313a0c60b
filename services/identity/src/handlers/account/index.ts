import { AccountServiceService } from '@panel/protos/identity';
import { serve, type ServedService } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { handleBeginTwoFactor } from './begin-two-factor.js';
import { handleChangePassword } from './change-password.js';
import { handleConfirmTwoFactor } from './confirm-two-factor.js';
import { handleCreateApiKey } from './create-api-key.js';
import { handleCreateSshKey } from './create-ssh-key.js';
import { handleDeleteApiKey } from './delete-api-key.js';
import { handleDeleteSshKey } from './delete-ssh-key.js';
import { handleDisableTwoFactor } from './disable-two-factor.js';
import { handleGetAccount } from './get-account.js';
import { handleGetPreferences } from './get-preferences.js';
import { handleListApiKeys } from './list-api-keys.js';
import { handleListSessions } from './list-sessions.js';
import { handleListSshKeys } from './list-ssh-keys.js';
import { handleRevokeSession } from './revoke-session.js';
import { handleUpdateAccount } from './update-account.js';
import { handleUpdatePreferences } from './update-preferences.js';

export function createAccountService(context: IdentityContext): ServedService {
  return serve(AccountServiceService, {
    getAccount: handleGetAccount(context),
    updateAccount: handleUpdateAccount(context),
    changePassword: handleChangePassword(context),
    beginTwoFactor: handleBeginTwoFactor(context),
    confirmTwoFactor: handleConfirmTwoFactor(context),
    disableTwoFactor: handleDisableTwoFactor(context),
    listApiKeys: handleListApiKeys(context),
    createApiKey: handleCreateApiKey(context),
    deleteApiKey: handleDeleteApiKey(context),
    listSessions: handleListSessions(context),
    revokeSession: handleRevokeSession(context),
    listSshKeys: handleListSshKeys(context),
    createSshKey: handleCreateSshKey(context),
    deleteSshKey: handleDeleteSshKey(context),
    getPreferences: handleGetPreferences(context),
    updatePreferences: handleUpdatePreferences(context),
  });
}
