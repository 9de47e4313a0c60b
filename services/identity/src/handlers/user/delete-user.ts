import type { Handler } from '@panel/rpc';
import type { UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { deleteUser as remove } from '../../domain/deletion.js';
import { record } from '../../domain/record.js';
import { subjectOf } from '../../domain/rights.js';

export function deleteUser(context: IdentityContext): Handler<typeof UserServiceService.deleteUser> {
  return async ({ userId }, { actor }) => {
    const { user } = await subjectOf(context, actor, 'users.delete', userId);
    await remove(context, user, actor);
    record(context, { event: 'user:delete', actor, userId, properties: { email: user.email } });
    return {};
  };
}
