import type { AccountServiceService, UpdateAccountRequest } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { email, language, personName, username } from '../../domain/fields.js';
import type { ProfileChanges } from '../../domain/user.js';
import { presentAccount } from '../../present/user.js';
import { updateAccount } from '../../usecases/accounts/update-account.js';
import { omitUndefined, readFields } from '../read-fields.js';

export function handleUpdateAccount(context: IdentityContext): Handler<typeof AccountServiceService.updateAccount> {
  return async (request, { actor, signal }) => {
    const caller = requireUser(actor);
    const given = { changes: readChanges(request), currentPassword: request.currentPassword };
    return { user: presentAccount(await updateAccount(context, caller, given, signal)) };
  };
}

function readChanges(request: UpdateAccountRequest): ProfileChanges {
  const shape = {
    email: email.optional(),
    username: username.optional(),
    first_name: personName.optional(),
    last_name: personName.optional(),
    language: language.optional(),
  };
  const given = readFields(shape, {
    email: request.email,
    username: request.username,
    first_name: request.firstName,
    last_name: request.lastName,
    language: request.language,
  });
  return omitUndefined({
    email: given.email,
    username: given.username,
    firstName: given.first_name,
    lastName: given.last_name,
    language: given.language,
  });
}
