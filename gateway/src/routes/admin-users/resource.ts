import { User } from '@panel/protos/identity';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery, yesOrNo } from '../../declaration/list-query.js';
import { resource } from '../../declaration/resource.js';
import { user } from '../account/resource.js';

const roleId = z.uuid('must be a UUID');

export const userListQuery = listQuery('created_at', 'email', 'username', 'last_login_at').extend({
  role_id: roleId.optional().describe('only users with this role'),
  two_factor_enabled: yesOrNo.optional(),
  email: z.string().min(1).max(320).optional().describe('only the user with this address, in any case'),
  external_id: z.string().min(1).max(191).optional().describe('only the user with this external id'),
});

export const deleteUserQuery = z.object({
  force: yesOrNo.optional().describe('although credits, open invoices or active services lose their user'),
});

const { id, email, username, ...others } = user.fields;
const password = z.string().min(1).max(1024).describe('without one the user chooses it by mail');
const personName = z.string().max(191);
const externalId = z.string().max(191);

/** For staff. */
export const adminUser = resource(User, 'AdminUser', {
  id,
  email: email.settable(z.string().min(1).max(320)),
  username: username.settable(z.string().min(1).max(64)),
  password: is.writeOnly('password', password, password.optional()),
  ...others,
  first_name: others.first_name.optional(personName),
  last_name: others.last_name.optional(personName),
  language: others.language.optional(z.string().max(35).describe('BCP 47 tag')),
  role_id: is.writeOnly('roleId', roleId, roleId.optional()),
  external_id: is.textOrNull('externalId').settableAs(externalId.nullable(), externalId.optional()),
  last_login_at: is.timeOrNull('lastLoginTime'),
  servers_count: is.intOrNull('serversCount', 'servers the user owns; null when that could not be learned'),
});
