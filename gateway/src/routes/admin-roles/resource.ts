import { Role } from '@panel/protos/identity';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';

export const role = resource(Role, 'Role', {
  id: is.uuid('id'),
  name: is.text('name').settable(z.string().trim().min(1).max(191)),
  description: is.text('description').optional(z.string().max(2000)),
  permissions: is.texts('permissions').optional(z.array(z.string().min(1).max(64)).max(200)),
  rate_limit_multiplier: is
    .plain('rateLimitMultiplier', z.number().describe('factor on the base rate limits'))
    .optional(z.number().gt(0, 'must be above 0').max(100)),
  system: is.flag('system', 'exists always and never changes'),
  users_count: is.int('usersCount'),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});
