import type { CreateUserRequest, UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { email, externalId, language, newPassword, personName, username } from '../../domain/fields.js';
import { presentUser } from '../../present/user.js';
import { createUser, type UserCreation } from '../../usecases/users/create-user.js';
import { readFields } from '../read-fields.js';

export function handleCreateUser(context: IdentityContext): Handler<typeof UserServiceService.createUser> {
  return async (request, { actor, idempotencyId, signal }) => {
    const creation = { ...readUser(request), idempotencyId };
    return { user: presentUser(await createUser(context, actor, creation, signal)) };
  };
}

function readUser(request: CreateUserRequest): Omit<UserCreation, 'idempotencyId'> {
  const shape = {
    email,
    username,
    password: newPassword.optional(),
    first_name: personName,
    last_name: personName,
    language,
    external_id: externalId,
  };
  const given = readFields(shape, {
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
