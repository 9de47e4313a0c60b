import type { User } from '@panel/protos/identity';
import type { RoleRecord } from '../domain/role.js';
import type { UserRecord } from '../domain/user.js';

/** A user for staff and services. */
export function presentUser(user: UserRecord, role: RoleRecord, serversCount?: number): User {
  return {
    ...presentAccount(user, role),
    serversCount,
    externalId: user.externalId ?? '',
    emailUnproven: user.isEmailUnproven === true,
    lastLoginTime: user.lastLoginAt ?? undefined,
  };
}

/** A user for the user: without what operators record about it. */
export function presentAccount(user: UserRecord, role: RoleRecord): User {
  return {
    id: user.id,
    email: user.email,
    username: user.username,
    firstName: user.firstName,
    lastName: user.lastName,
    language: user.language,
    role: { id: role.id, name: role.name },
    twoFactorEnabled: user.twoFactor !== null,
    createTime: user.createdAt,
    updateTime: user.updatedAt,
    externalId: '',
    lastLoginTime: undefined,
  };
}
