import { randomUUID } from 'node:crypto';
import { type Handler, requirePermission } from '@panel/kit';
import type { CreateUserRequest, UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { countAdmin, newAdminToken } from '../../domain/admins.js';
import { email, externalId, language, newPassword, parseFields, personName, username } from '../../domain/fields.js';
import { makePasswordLink } from '../../domain/password-links.js';
import { record } from '../../domain/record.js';
import { isBeingDeleted, roleOf, roleToGive } from '../../domain/rights.js';
import { adminRole, userRole } from '../../domain/system-roles.js';
import type { RoleDocument } from '../../models/role.js';
import type { NewUser, UserDocument } from '../../models/user.js';
import { presentUser } from '../../present.js';

export function createUser(context: IdentityContext): Handler<typeof UserServiceService.createUser> {
  return async (request, { actor, log, signal }) => {
    requirePermission(actor, 'users.create');
    const given = parseUser(request);
    const role = await roleToGive(context, actor, request.roleId || userRole.id);
    const passwordHash = given.password === undefined ? null : await context.passwords.hash(given.password, signal);
    const inserted = await insert(context, { ...profileOf(given), passwordHash, roleId: role._id });
    const user = await recheckRole(context, inserted, role);
    log.info({ userId: user._id }, 'user created');
    record(context, { event: 'user:create', actor, userId: user._id, properties: { email: user.email } });
    return { user: presentUser(user, await roleOf(context, user), actor.kind === 'user' ? 0 : undefined) };
  };
}

function parseUser(request: CreateUserRequest) {
  const shape = {
    email,
    username,
    password: newPassword.optional(),
    first_name: personName,
    last_name: personName,
    language,
    external_id: externalId,
  };
  return parseFields(shape, {
    email: request.email,
    username: request.username,
    password: request.password,
    first_name: request.firstName,
    last_name: request.lastName,
    language: request.language || 'en',
    external_id: request.externalId,
  });
}

function profileOf(given: ReturnType<typeof parseUser>) {
  const { first_name: firstName, last_name: lastName, external_id: id } = given;
  const { email: address, username: name, language: tongue } = given;
  return { email: address, username: name, firstName, lastName, language: tongue, externalId: id === '' ? null : id };
}

/** Store the user; one without a password together with the mail to choose one. */
async function insert(context: IdentityContext, given: Omit<NewUser, '_id'>): Promise<UserDocument> {
  const { box, clock, log, news, users } = context;
  const now = clock();
  const _id = randomUUID();
  const adminToken = given.roleId === adminRole.id ? newAdminToken() : null;
  const needsLink = given.passwordHash === null && news !== null;
  if (given.passwordHash === null && news === null)
    log.error({ userId: _id }, 'a user without a password cannot be mailed: set ADMIN_ADDRESS');
  const { link, mail } = makePasswordLink(box, { _id, email: given.email }, 'set_password', now);
  const invitation = needsLink ? { passwordReset: link, mails: [mail], hasNews: true as const } : {};
  const user = await users.insert({ ...given, _id, adminToken, ...invitation }, now);
  await countAdmin(context, user);
  return user;
}

/** A role that is deleted in this very moment is not given: see `isBeingDeleted`. */
async function recheckRole(context: IdentityContext, user: UserDocument, role: RoleDocument): Promise<UserDocument> {
  const now = context.clock();
  const current = await context.roles.findById(role._id);
  if (current && !isBeingDeleted(current, now)) return user;
  const reset = await context.users.update(user._id, { roleId: role._id }, { roleId: userRole.id }, now);
  return reset ?? user;
}
