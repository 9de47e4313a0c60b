import { randomUUID } from 'node:crypto';
import { type CallContext, type Handler, requireUser } from '@panel/rpc';
import type { AccountServiceService, UpdateAccountRequest } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { limitEmailChanges } from '../../domain/attempt-limits.js';
import { checkCurrentPassword } from '../../domain/current-password.js';
import { email, language, parseFields, personName, username } from '../../domain/fields.js';
import { record } from '../../domain/record.js';
import { callerWithRole } from '../../domain/rights.js';
import type { ProfileChanges, UserDocument } from '../../models/user.js';
import { presentAccount } from '../../present.js';
import { fail } from '../../reasons.js';

export function updateAccount(context: IdentityContext): Handler<typeof AccountServiceService.updateAccount> {
  return async (request, call) => {
    const { user, role } = await callerWithRole(context, requireUser(call.actor).userId);
    const changes = parseChanges(request);
    const isMoving = changes.email !== undefined && changes.email !== user.email;
    if (isMoving) await allowMove(context, user, request.currentPassword, call.signal);
    const updated = await context.users.update(
      user._id,
      { email: user.email },
      changes,
      context.clock(),
      ...farewell(),
    );
    if (!updated) throw fail('CONCURRENT_CHANGE', 'this account was changed at the same moment');
    recordChanges(context, call, user, updated);
    // The gateways know users by name.
    if (updated.username !== user.username) await context.epochs.changed(user._id);
    return { user: presentAccount(updated, role) };

    /** The old address learns of the move, in case it was not its owner who moved. */
    function farewell() {
      if (!isMoving || context.news === null) return [];
      const at = context.clock();
      return [{ id: randomUUID(), kind: 'email_changed', to: user.email, content: changes.email ?? '', at }] as const;
    }
  };
}

function parseChanges(request: UpdateAccountRequest): ProfileChanges {
  const shape = {
    email: email.optional(),
    username: username.optional(),
    first_name: personName.optional(),
    last_name: personName.optional(),
    language: language.optional(),
  };
  const given = parseFields(shape, {
    email: request.email,
    username: request.username,
    first_name: request.firstName,
    last_name: request.lastName,
    language: request.language,
  });
  return definedOnly({
    email: given.email,
    username: given.username,
    firstName: given.first_name,
    lastName: given.last_name,
    language: given.language,
  });
}

/** Without the fields nobody gave, which must not be written as undefined. */
function definedOnly(changes: ProfileChanges): ProfileChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

async function allowMove(
  context: IdentityContext,
  user: UserDocument,
  currentPassword: string,
  signal: AbortSignal,
): Promise<void> {
  await checkCurrentPassword(context, user, currentPassword, signal);
  await limitEmailChanges(context, user._id);
}

function recordChanges(context: IdentityContext, { actor }: CallContext, from: UserDocument, to: UserDocument): void {
  const userId = to._id;
  if (from.email !== to.email)
    record(context, {
      event: 'user:account.email-changed',
      actor,
      userId,
      properties: { old: from.email, new: to.email },
    });
  if (from.username !== to.username) {
    const properties = { old: from.username, new: to.username };
    record(context, { event: 'user:account.username-changed', actor, userId, properties });
  }
}
