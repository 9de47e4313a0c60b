import type { User } from '@panel/protos/identity';
import type { UserWithRole } from '../domain/authorization.js';

interface PresentedUser extends UserWithRole {
  readonly serversCount?: number | undefined;
}

/** For staff and services. */
export function presentUser({ user, role, serversCount }: PresentedUser): User {
  return {
    ...presentAccount({ user, role }),
    serversCount,
    externalId: user.externalId ?? '',
    emailUnproven: user.isEmailUnproven === true,
    lastLoginTime: user.lastLoginAt ?? undefined,
  };
}

/** For the user: without operator data. */
export function presentAccount({ user, role }: UserWithRole): User {
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
