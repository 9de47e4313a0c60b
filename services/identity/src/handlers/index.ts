import type { ServedService } from '@panel/rpc';
import type { IdentityContext } from '../context.js';
import { createAccountService } from './account/index.js';
import { createAuthService } from './auth/index.js';
import { createCredentialService } from './credential/index.js';
import { createRoleService } from './role/index.js';
import { createUserService } from './user/index.js';

export function createHandlers(context: IdentityContext): ServedService[] {
  return [
    createAuthService(context),
    createAccountService(context),
    createUserService(context),
    createRoleService(context),
    createCredentialService(context),
  ];
}
