import { type Actor, type Handler, requirePermission } from '@panel/rpc';
import type { UpdateUserRequest, UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { changeRole } from '../../domain/change-role.js';
import { email, externalId, language, newPassword, parseFields, personName, username } from '../../domain/fields.js';
import { record } from '../../domain/record.js';
import { roleOf, roleToGive, subjectOf } from '../../domain/rights.js';
import { countForPeople } from '../../domain/servers-count.js';
import { sweepSessions } from '../../domain/sign-in.js';
import type { ProfileChanges, UserDocument } from '../../models/user.js';
import { presentUser } from '../../present.js';
import { fail } from '../../reasons.js';

export function updateUser(context: IdentityContext): Handler<typeof UserServiceService.updateUser> {
  return async (request, { actor, log, signal }) => {
    requirePermission(actor, 'users.update');
    const { changes, password } = parseChanges(request);
    const { user } = await subjectOf(context, actor, 'users.update', request.userId);
    // Hashed before anything is written, because only this can be refused for want of time.
    const hash = password === undefined ? null : await context.passwords.hash(password, signal);
    let updated = await applyChanges(context, actor, user, { ...changes, roleId: request.roleId });
    if (hash !== null) updated = await setPassword(context, updated, hash);
    await context.epochs.changed(user._id);
    log.info({ userId: user._id }, 'user changed');
    recordUpdate(context, actor, request, updated);
    const countOf = await countForPeople(context, actor, [updated]);
    return { user: presentUser(updated, await roleOf(context, updated), countOf(updated)) };
  };
}

function parseChanges(request: UpdateUserRequest): { changes: ProfileChanges; password: string | undefined } {
  const shape = {
    email: email.optional(),
    username: username.optional(),
    password: newPassword.optional(),
    first_name: personName.optional(),
    last_name: personName.optional(),
    language: language.optional(),
    external_id: externalId.optional(),
  };
  const given = parseFields(shape, {
    email: request.email,
    username: request.username,
    password: request.password,
    first_name: request.firstName,
    last_name: request.lastName,
    language: request.language,
    external_id: request.externalId,
  });
  const changes = {
    email: given.email,
    username: given.username,
    firstName: given.first_name,
    lastName: given.last_name,
    language: given.language,
    externalId: given.external_id === '' ? null : given.external_id,
  };
  const defined = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { changes: defined, password: given.password };
}

/** All changes but the password in one update, on condition that the user's role is still the one that was looked at. */
async function applyChanges(
  context: IdentityContext,
  actor: Actor,
  user: UserDocument,
  { roleId, ...profile }: ProfileChanges & { readonly roleId: string | undefined },
): Promise<UserDocument> {
  if (roleId !== undefined && roleId !== user.roleId)
    return changeRole(context, user, await roleToGive(context, actor, roleId), profile);
  const updated = await context.users.update(user._id, { roleId: user.roleId }, profile, context.clock());
  if (!updated) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  return updated;
}

async function setPassword(context: IdentityContext, user: UserDocument, hash: string): Promise<UserDocument> {
  const guard = { roleId: user.roleId };
  const updated = await context.users.setPassword(user._id, guard, { hash, keepSessionId: null }, context.clock());
  if (!updated) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  await sweepSessions(context, updated);
  return updated;
}

function recordUpdate(context: IdentityContext, actor: Actor, request: UpdateUserRequest, user: UserDocument): void {
  const { userId: _id, ...fields } = request;
  const changed = Object.entries(fields).filter(([, value]) => value !== undefined);
  const properties = { fields: changed.map(([name]) => name).join(', ') };
  record(context, { event: 'user:update', actor, userId: user._id, properties });
}
