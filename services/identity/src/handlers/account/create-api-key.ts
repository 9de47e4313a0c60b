import type { AccountServiceService, CreateApiKeyRequest } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { KeyTerms } from '../../domain/api-key.js';
import { allowedIps, keyPermissionList, singleLine } from '../../domain/fields.js';
import { presentApiKey } from '../../present/api-key.js';
import { createApiKey } from '../../usecases/api-keys/create-api-key.js';
import { readFields } from '../read-fields.js';

export function handleCreateApiKey(context: IdentityContext): Handler<typeof AccountServiceService.createApiKey> {
  return async (request, { actor, idempotencyId, idempotencySeed }) => {
    const owner = requireUser(actor);
    const terms = readTerms(request);
    const { apiKey, key } = await createApiKey(context, owner, { terms, idempotencyId, idempotencySeed });
    return { apiKey: presentApiKey(apiKey), key };
  };
}

function readTerms(request: CreateApiKeyRequest): KeyTerms {
  const shape = { description: singleLine(1, 500), allowed_ips: allowedIps, permissions: keyPermissionList.nullable() };
  const given = readFields(shape, {
    description: request.description,
    allowed_ips: request.allowedIps,
    permissions: request.permissions?.permissions ?? null,
  });
  const { description, permissions } = given;
  return { description, permissions, allowedIps: given.allowed_ips, expiresAt: request.expireTime ?? null };
}
