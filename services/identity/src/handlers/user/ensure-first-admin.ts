import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { email, newPassword, username } from '../../domain/fields.js';
import { presentUser } from '../../present/user.js';
import { ensureFirstAdmin, findAdmin } from '../../usecases/users/ensure-first-admin.js';
import { readFields } from '../read-fields.js';

export function handleEnsureFirstAdmin(context: IdentityContext): Handler<typeof UserServiceService.ensureFirstAdmin> {
  return async (request, { signal }) => {
    const existing = await findAdmin(context);
    if (existing) return { created: false, user: presentUser(existing) };
    const given = readFields({ email, username, password: newPassword }, request);
    const { isNew, ...admin } = await ensureFirstAdmin(context, given, signal);
    return { created: isNew, user: presentUser(admin) };
  };
}
