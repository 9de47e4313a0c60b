import type { UserServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { email, newPassword, parseFields, username } from '../../domain/fields.js';
import { presentUser } from '../../present/user.js';
import { loadRole } from '../../usecases/authorization/authorization.js';
import { ensureFirstAdmin as ensure, findAdmin } from '../../usecases/users/ensure-first-admin.js';

export function ensureFirstAdmin(context: IdentityContext): Handler<typeof UserServiceService.ensureFirstAdmin> {
  return async (request, { signal }) => {
    const existing = await findAdmin(context);
    if (existing) return { created: false, user: presentUser(existing, await loadRole(context, existing)) };
    const given = parseFields({ email, username, password: newPassword }, request);
    const { user, isNew } = await ensure(context, given, signal);
    return { created: isNew, user: presentUser(user, await loadRole(context, user)) };
  };
}
