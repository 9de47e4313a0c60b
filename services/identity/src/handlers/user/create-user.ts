import type { CreateUserRequest, UserServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { email, externalId, language, newPassword, parseFields, personName, username } from '../../domain/fields.js';
import { presentUser } from '../../present/user.js';
import { loadRole } from '../../usecases/authorization/authorization.js';
import { countServersFor } from '../../usecases/users/count-servers.js';
import { createUser as create, type UserCreation } from '../../usecases/users/create-user.js';

export function createUser(context: IdentityContext): Handler<typeof UserServiceService.createUser> {
  return async (request, { actor, idempotencyId, signal }) => {
    const { user, isNew } = await create(context, actor, { ...parseUser(request), idempotencyId }, signal);
    const isNewForUser = isNew && actor.kind === 'user';
    const serversCount = isNewForUser ? 0 : (await countServersFor(context, actor, [user]))(user);
    return { user: presentUser(user, await loadRole(context, user), serversCount) };
  };
}

function parseUser(request: CreateUserRequest): Omit<UserCreation, 'idempotencyId'> {
  const shape = {
    email,
    username,
    password: newPassword.optional(),
    first_name: personName,
    last_name: personName,
    language,
    external_id: externalId,
  };
  const given = parseFields(shape, {
    email: request.email,
    username: request.username,
    password: request.password,
    first_name: request.firstName,
    last_name: request.lastName,
    language: request.language || 'en',
    external_id: request.externalId,
  });
  const profile = {
    email: given.email,
    username: given.username,
    firstName: given.first_name,
    lastName: given.last_name,
    language: given.language,
    externalId: given.external_id === '' ? null : given.external_id,
  };
  return { profile, password: given.password, roleId: request.roleId };
}
