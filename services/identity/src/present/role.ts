import type { Role } from '@panel/protos/identity';
import type { RoleRecord } from '../domain/role.js';

export function presentRole({ role, usersCount }: { readonly role: RoleRecord; readonly usersCount: number }): Role {
  return {
    id: role.id,
    name: role.name,
    description: role.description,
    permissions: [...role.permissions],
    rateLimitMultiplier: role.rateLimitMultiplier,
    system: role.isSystem,
    usersCount,
    createTime: role.createdAt,
    updateTime: role.updatedAt,
  };
}
