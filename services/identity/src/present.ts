import type { ApiKey, Role, Session, TokenSet, User } from '@panel/protos/identity';
import type { TokenPair } from './crypto/tokens.js';
import type { ApiKeyDocument } from './models/api-key.js';
import type { RoleDocument } from './models/role.js';
import type { SessionDocument } from './models/session.js';
import type { UserDocument } from './models/user.js';

/** A user for staff and services. */
export function presentUser(user: UserDocument, role: RoleDocument, serversCount?: number): User {
  return {
    ...presentAccount(user, role),
    serversCount,
    externalId: user.externalId ?? '',
    lastLoginTime: user.lastLoginAt ?? undefined,
  };
}

/** A user for the person itself: without what operators note down about it. */
export function presentAccount(user: UserDocument, role: RoleDocument): User {
  return {
    id: user._id,
    email: user.email,
    username: user.username,
    firstName: user.firstName,
    lastName: user.lastName,
    language: user.language,
    role: { id: role._id, name: role.name },
    twoFactorEnabled: user.twoFactor !== null,
    createTime: user.createdAt,
    updateTime: user.updatedAt,
    externalId: '',
    lastLoginTime: undefined,
  };
}

export function presentRole(role: RoleDocument, usersCount: number): Role {
  return {
    id: role._id,
    name: role.name,
    description: role.description,
    permissions: role.permissions,
    rateLimitMultiplier: role.rateLimitMultiplier,
    system: role.isSystem,
    usersCount,
    createTime: role.createdAt,
    updateTime: role.updatedAt,
  };
}

export function presentTokens(pair: TokenPair): TokenSet {
  return {
    accessToken: pair.accessToken,
    refreshToken: pair.refreshToken,
    expiresInSeconds: pair.accessTtlSeconds,
  };
}

export function presentApiKey(apiKey: ApiKeyDocument): ApiKey {
  return {
    id: apiKey._id,
    description: apiKey.description,
    allowedIps: apiKey.allowedIps,
    identifier: apiKey.identifier,
    lastUsedTime: apiKey.lastUsedAt ?? undefined,
    expireTime: apiKey.expiresAt ?? undefined,
    createTime: apiKey.createdAt,
    permissions: apiKey.permissions === null ? undefined : { permissions: apiKey.permissions },
  };
}

export function presentSession(session: SessionDocument, currentSessionId: string | null): Session {
  return {
    id: session._id,
    ip: session.ip,
    userAgent: session.userAgent,
    createTime: session.createdAt,
    lastUsedTime: session.lastUsedAt,
    expireTime: session.expiresAt,
    current: session._id === currentSessionId,
  };
}
