import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { user } from '../account/schema.js';
import { listQuery } from '../../declaration/list-query.js';

/** A user as staff see one. */
export const adminUser = user
  .extend({
    external_id: z.string().nullable(),
    last_login_at: time.nullable(),
    servers_count: z.int().nullable().describe('servers the user owns; null when that could not be learned'),
  })
  .meta({ id: 'AdminUser' });

const roleId = z.uuid('must be a UUID');

export const userListQuery = listQuery('created_at', 'email', 'username', 'last_login_at').extend({
  role_id: roleId.optional().describe('only users with this role'),
  two_factor_enabled: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional(),
  email: z.string().min(1).max(320).optional().describe('only the user with this address, in any case'),
  external_id: z.string().min(1).max(191).optional().describe('only the user with this external id'),
});

const fields = {
  email: z.string().min(1).max(320),
  username: z.string().min(1).max(64),
  password: z.string().min(1).max(1024).describe('without one the user chooses it by mail'),
  first_name: z.string().max(191),
  last_name: z.string().max(191),
  language: z.string().max(35).describe('BCP 47 tag'),
  role_id: roleId,
  external_id: z.string().max(191),
};

export const createUserBody = z.strictObject(fields).partial().required({ email: true, username: true });
export const updateUserBody = z.strictObject({ ...fields, external_id: fields.external_id.nullable() }).partial();
