import { type Actor, createOnce, type Handler, requirePermission } from '@panel/rpc';
import type { CreateUserRequest, UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { countAdmin, newAdminToken } from '../../domain/admins.js';
import { email, externalId, language, newPassword, parseFields, personName, username } from '../../domain/fields.js';
import { makePasswordLink } from '../../domain/password-links.js';
import { record } from '../../domain/record.js';
import { isBeingDeleted, roleOf, roleToGive } from '../../domain/rights.js';
import { countForPeople } from '../../domain/servers-count.js';
import { adminRole, userRole } from '../../domain/system-roles.js';
import type { NewUser, UserDocument } from '../../models/user.js';
import { presentUser } from '../../present.js';

export function createUser(context: IdentityContext): Handler<typeof UserServiceService.createUser> {
  return async (request, { actor, idempotencyId, log, signal }) => {
    requirePermission(actor, 'users.create');
    const given = parseUser(request);
    const { object: inserted, isNew } = await createOnce(idempotencyId, {
      find: async (id) => context.users.findById(id),
      create: async (_id) => {
        const role = await roleToGive(context, actor, request.roleId || userRole.id);
        const passwordHash = given.password === undefined ? null : await context.passwords.hash(given.password, signal);
        return insert(context, { ...profileOf(given), _id, passwordHash, roleId: role._id });
      },
    });
    // For a repetition too: whoever inserted the user may have died before these.
    await countAdmin(context, inserted);
    const user = await recheckRole(context, inserted);
    if (isNew) {
      log.info({ userId: user._id }, 'user created');
      record(context, { event: 'user:create', actor, userId: user._id, properties: { email: user.email } });
    }
    return { user: presentUser(user, await roleOf(context, user), await serversCount(context, actor, user, isNew)) };
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
async function insert({ box, clock, log, news, users }: IdentityContext, given: NewUser): Promise<UserDocument> {
  const now = clock();
  const { _id } = given;
  const adminToken = given.roleId === adminRole.id ? newAdminToken() : null;
  const needsLink = given.passwordHash === null && news !== null;
  if (given.passwordHash === null && news === null)
    log.error({ userId: _id }, 'a user without a password cannot be mailed: set ADMIN_ADDRESS');
  const { link, mail } = makePasswordLink(box, { _id, email: given.email }, 'set_password', now);
  const invitation = needsLink ? { passwordReset: link, mails: [mail], outboxPending: true as const } : {};
  return users.insert({ ...given, adminToken, ...invitation }, now);
}

async function serversCount(context: IdentityContext, actor: Actor, user: UserDocument, isNew: boolean) {
  if (isNew) return actor.kind === 'user' ? 0 : undefined;
  return (await countForPeople(context, actor, [user]))(user);
}

/** A role that is deleted in this very moment is not given: see `isBeingDeleted`. */
async function recheckRole(context: IdentityContext, user: UserDocument): Promise<UserDocument> {
  const now = context.clock();
  const current = await context.roles.findById(user.roleId);
  if (current && !isBeingDeleted(current, now)) return user;
  const reset = await context.users.update(user._id, { roleId: user.roleId }, { roleId: userRole.id }, now);
  return reset ?? user;
}
