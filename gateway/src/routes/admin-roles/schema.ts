import { z } from 'zod';
import { time } from '../../declaration/present.js';

export const role = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    permissions: z.array(z.string()),
    rate_limit_multiplier: z.number().describe('factor on the base rate limits'),
    system: z.boolean().describe('exists always and never changes'),
    users_count: z.int(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Role' });

const fields = {
  name: z.string().trim().min(1).max(191),
  description: z.string().max(2000),
  permissions: z.array(z.string().min(1).max(64)).max(200),
  rate_limit_multiplier: z.number().gt(0, 'must be above 0').max(100),
};

export const createRoleBody = z.strictObject(fields).partial().required({ name: true });
export const updateRoleBody = z.strictObject(fields).partial();
