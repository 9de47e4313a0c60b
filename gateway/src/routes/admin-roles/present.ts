import type { Role } from '@panel/protos/identity';
import type { z } from 'zod';
import { isoTimeOf, required } from '../../declaration/present.js';
import type { role } from './schema.js';

export function presentRole(message: Role | undefined): z.input<typeof role> {
  const found = required(message, 'role');
  return {
    id: found.id,
    name: found.name,
    description: found.description,
    permissions: found.permissions,
    rate_limit_multiplier: found.rateLimitMultiplier,
    system: found.system,
    users_count: found.usersCount,
    created_at: isoTimeOf(found.createTime),
    updated_at: isoTimeOf(found.updateTime),
  };
}
