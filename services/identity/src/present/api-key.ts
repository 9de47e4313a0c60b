import type { ApiKey } from '@panel/protos/identity';
import type { ApiKeyRecord } from '../domain/api-key.js';

export function presentApiKey(apiKey: ApiKeyRecord): ApiKey {
  return {
    id: apiKey.id,
    description: apiKey.description,
    allowedIps: [...apiKey.allowedIps],
    identifier: apiKey.identifier,
    lastUsedTime: apiKey.lastUsedAt ?? undefined,
    expireTime: apiKey.expiresAt ?? undefined,
    createTime: apiKey.createdAt,
    permissions: apiKey.permissions === null ? undefined : { permissions: [...apiKey.permissions] },
  };
}
