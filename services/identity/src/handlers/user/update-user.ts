import type { UpdateUserRequest, UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { email, externalId, language, newPassword, personName, username } from '../../domain/fields.js';
import { presentUser } from '../../present/user.js';
import { updateUser, type UserUpdate } from '../../usecases/users/update-user.js';
import { omitUndefined, readFields } from '../read-fields.js';

export function handleUpdateUser(context: IdentityContext): Handler<typeof UserServiceService.updateUser> {
  return async (request, { actor, signal }) => {
    const updated = await updateUser(context, actor, request.userId, readUpdate(request), signal);
    return { user: presentUser(updated) };
  };
}

function readUpdate(request: UpdateUserRequest): UserUpdate {
  const { userId: _userId, roleId, ...fields } = request;
  const shape = {
    email: email.optional(),
    username: username.optional(),
    password: newPassword.optional(),
    first_name: personName.optional(),
    last_name: personName.optional(),
    language: language.optional(),
    external_id: externalId.optional(),
  };
  const given = readFields(shape, {
    email: fields.email,
    username: fields.username,
    password: fields.password,
    first_name: fields.firstName,
    last_name: fields.lastName,
    language: fields.language,
    external_id: fields.externalId,
  });
  const profile = omitUndefined({
    email: given.email,
    username: given.username,
    firstName: given.first_name,
    lastName: given.last_name,
    language: given.language,
    externalId: given.external_id === '' ? null : given.external_id,
  });
  return { profile, password: given.password, roleId, fields: Object.keys(omitUndefined({ ...fields, roleId })) };
}
