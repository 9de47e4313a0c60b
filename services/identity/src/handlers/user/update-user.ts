import type { UpdateUserRequest, UserServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import {
  email,
  externalId,
  language,
  newPassword,
  omitUndefined,
  parseFields,
  personName,
  username,
} from '../../domain/fields.js';
import { presentUser } from '../../present/user.js';
import { loadRole, loadTargetUser } from '../../usecases/authorization/authorization.js';
import { countServersFor } from '../../usecases/users/count-servers.js';
import { updateUser as update, type UserUpdate } from '../../usecases/users/update-user.js';

export function updateUser(context: IdentityContext): Handler<typeof UserServiceService.updateUser> {
  return async (request, { actor, signal }) => {
    const changes = parseUpdate(request);
    const { user } = await loadTargetUser(context, actor, request.userId);
    const updated = await update(context, actor, user, changes, signal);
    const countOf = await countServersFor(context, actor, [updated]);
    return { user: presentUser(updated, await loadRole(context, updated), countOf(updated)) };
  };
}

function parseUpdate(request: UpdateUserRequest): UserUpdate {
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
  const given = parseFields(shape, {
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
