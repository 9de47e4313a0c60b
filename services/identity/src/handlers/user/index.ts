import { UserServiceService } from '@panel/protos/identity';
import { serve, type ServedService } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { handleBatchGetUsers } from './batch-get-users.js';
import { handleBatchGetUsersByEmail } from './batch-get-users-by-email.js';
import { handleCreateUser } from './create-user.js';
import { handleDeleteUser } from './delete-user.js';
import { handleDisableUserTwoFactor } from './disable-user-two-factor.js';
import { handleEnsureFirstAdmin } from './ensure-first-admin.js';
import { handleFindUserByEmail } from './find-user-by-email.js';
import { handleGetUser } from './get-user.js';
import { handleListUsers } from './list-users.js';
import { handleUpdateUser } from './update-user.js';

export function createUserService(context: IdentityContext): ServedService {
  return serve(UserServiceService, {
    ensureFirstAdmin: handleEnsureFirstAdmin(context),
    getUser: handleGetUser(context),
    batchGetUsers: handleBatchGetUsers(context),
    findUserByEmail: handleFindUserByEmail(context),
    batchGetUsersByEmail: handleBatchGetUsersByEmail(context),
    listUsers: handleListUsers(context),
    createUser: handleCreateUser(context),
    updateUser: handleUpdateUser(context),
    deleteUser: handleDeleteUser(context),
    disableUserTwoFactor: handleDisableUserTwoFactor(context),
  });
}
