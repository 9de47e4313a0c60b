import type { ApiKey, CreateApiKeyResponse, Session, User } from '@panel/protos/identity';
import type { z } from 'zod';
import { isoTime, isoTimeOf, required } from '../../declaration/present.js';
import type { apiKey, createdApiKey, session, user } from './schema.js';

export function presentUser(message: User | undefined): z.input<typeof user> {
  const found = required(message, 'user');
  const role = required(found.role, 'role');
  return {
    id: found.id,
    email: found.email,
    username: found.username,
    first_name: found.firstName,
    last_name: found.lastName,
    language: found.language,
    role: { id: role.id, name: role.name },
    two_factor_enabled: found.twoFactorEnabled,
    created_at: isoTimeOf(found.createTime),
    updated_at: isoTimeOf(found.updateTime),
  };
}

export function presentApiKey(message: ApiKey): z.input<typeof apiKey> {
  return {
    id: message.id,
    description: message.description,
    allowed_ips: message.allowedIps,
    identifier: message.identifier,
    permissions: message.permissions?.permissions ?? null,
    last_used_at: isoTime(message.lastUsedTime),
    expires_at: isoTime(message.expireTime),
    created_at: isoTimeOf(message.createTime),
  };
}

export function presentCreatedApiKey(answer: CreateApiKeyResponse): z.input<typeof createdApiKey> {
  return { ...presentApiKey(required(answer.apiKey, 'API key')), key: answer.key };
}

export function presentSession(message: Session): z.input<typeof session> {
  return {
    id: message.id,
    ip: message.ip,
    user_agent: message.userAgent,
    created_at: isoTimeOf(message.createTime),
    last_used_at: isoTime(message.lastUsedTime),
    expires_at: isoTimeOf(message.expireTime),
    current: message.current,
  };
}
