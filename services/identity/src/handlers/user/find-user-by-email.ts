import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { presentUser } from '../../present/user.js';
import { findUserByEmail } from '../../usecases/users/get-user.js';

export function handleFindUserByEmail(context: IdentityContext): Handler<typeof UserServiceService.findUserByEmail> {
  return async ({ email }) => ({ user: presentUser(await findUserByEmail(context, normaliseEmail(email))) });
}
