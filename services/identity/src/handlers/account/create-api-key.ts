import { invalidFields } from '@panel/kit/errors';
import type { AccountServiceService, CreateApiKeyRequest } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { KeyTerms } from '../../domain/api-key.js';
import { allowedIps, keyPermissionList, parseFields, singleLine } from '../../domain/fields.js';
import { presentApiKey } from '../../present/api-key.js';
import { createApiKey as create } from '../../usecases/api-keys/create-api-key.js';

export function createApiKey(context: IdentityContext): Handler<typeof AccountServiceService.createApiKey> {
  return async (request, { actor, idempotencyId, idempotencySeed }) => {
    const owner = requireUser(actor);
    const terms = parseTerms(request, context.clock());
    const { apiKey, key } = await create(context, owner, { terms, idempotencyId, idempotencySeed });
    return { apiKey: presentApiKey(apiKey), key };
  };
}

function parseTerms(request: CreateApiKeyRequest, now: Date): KeyTerms {
  const shape = { description: singleLine(1, 500), allowed_ips: allowedIps, permissions: keyPermissionList.nullable() };
  const given = parseFields(shape, {
    description: request.description,
    allowed_ips: request.allowedIps,
    permissions: request.permissions?.permissions ?? null,
  });
  const expiresAt = request.expireTime ?? null;
  if (expiresAt && !(expiresAt > now)) throw invalidFields({ expires_at: ['must be in the future'] });
  const { description, permissions } = given;
  return { description, permissions, allowedIps: given.allowed_ips, expiresAt };
}
