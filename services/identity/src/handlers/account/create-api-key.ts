import { createOnce, grants, type Handler, requireUser, type UserActor } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { AccountServiceService, CreateApiKeyRequest } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { allowedIps, lineOfText, parseFields, permissionList } from '../../domain/fields.js';
import { permissionsBeyond } from '../../domain/permissions.js';
import { record } from '../../domain/record.js';
import { callerWithRole } from '../../domain/rights.js';
import type { ApiKeyDocument } from '../../models/api-key.js';
import { presentApiKey } from '../../present.js';
import { fail } from '../../reasons.js';

/** Keys a user may have at once. */
const maxApiKeys = 25;

type KeyTerms = Pick<ApiKeyDocument, 'description' | 'allowedIps' | 'permissions' | 'expiresAt'>;

export function createApiKey(context: IdentityContext): Handler<typeof AccountServiceService.createApiKey> {
  return async (request, { actor, idempotencyId, idempotencySeed, log }) => {
    const user = requireUser(actor);
    const wanted = parseTerms(request, context.clock());
    const { key, hash, identifier } = context.keyMaker.make(idempotencySeed);
    const { object: apiKey, isNew } = await createOnce(idempotencyId, {
      find: async (id) => context.apiKeys.findById(id),
      create: async (_id) => {
        const terms = await allowedTerms(context, user, wanted);
        return store(context, { _id, userId: user.userId, ...terms, hash, identifier });
      },
    });
    // Made with another SERVICE_SECRET: it works, but nobody can say any more what it is.
    if (apiKey.hash !== hash) throw fail('API_KEY_UNRECOVERABLE', 'the key was created and cannot be shown any more');
    if (isNew) {
      log.info({ userId: user.userId, apiKeyId: apiKey._id }, 'API key created');
      record(context, { event: 'user:api-key.create', actor, userId: user.userId, properties: { identifier } });
    }
    return { apiKey: presentApiKey(apiKey), key };
  };
}

function parseTerms(request: CreateApiKeyRequest, now: Date): KeyTerms {
  const shape = { description: lineOfText(1, 500), allowed_ips: allowedIps, permissions: permissionList.nullable() };
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

/**
 * The terms, once nobody gets more than they have: no permission beyond the owner's, and a key that makes a key passes on
 * each of its own limits, so that a stolen key cannot be traded in for a better one.
 */
async function allowedTerms(context: IdentityContext, user: UserActor, wanted: KeyTerms): Promise<KeyTerms> {
  const { role } = await callerWithRole(context, user.userId);
  const terms = user.method === 'api_key' ? await narrowedByParent(context, user, wanted) : wanted;
  const beyond = (terms.permissions ?? []).filter(
    (permission) => !grants(role.permissions, permission) || !grants(user.permissions, permission),
  );
  if (beyond.length > 0)
    throw fail('PERMISSION_EXCEEDS_OWN', 'a key cannot have permissions its owner lacks', { permissions: beyond });
  return terms;
}

async function narrowedByParent(context: IdentityContext, user: UserActor, wanted: KeyTerms): Promise<KeyTerms> {
  const parent = await context.apiKeys.findById(user.credentialId);
  if (parent?.userId !== user.userId) throw fail('INVALID_TOKEN', 'the session or key does not exist any more');
  const permissions = wanted.permissions ?? parent.permissions;
  if (parent.permissions && permissions && permissionsBeyond(parent.permissions, permissions).length > 0)
    throw fail('PERMISSION_EXCEEDS_OWN', 'a key cannot make a key with permissions it lacks itself');
  const allowed = wanted.allowedIps.length > 0 ? wanted.allowedIps : parent.allowedIps;
  if (parent.allowedIps.length > 0 && !allowed.every((range) => parent.allowedIps.includes(range)))
    throw invalidFields({ allowed_ips: ['must be among those of the key that makes this key'] });
  const expiresAt = earlier(parent.expiresAt, wanted.expiresAt);
  return { ...wanted, permissions, allowedIps: allowed, expiresAt };
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}

/** Put the key into a free place; whoever loses a race for one tries the next. Throws API_KEY_LIMIT when all are taken. */
async function store(
  { apiKeys, clock }: IdentityContext,
  key: Omit<ApiKeyDocument, 'slot' | 'createdAt' | 'lastUsedAt'>,
): Promise<ApiKeyDocument> {
  for (;;) {
    const taken = await apiKeys.takenSlots(key.userId);
    const free = Array.from({ length: maxApiKeys }, (_, index) => index + 1).filter((slot) => !taken.has(slot));
    const slot = free[Math.floor(Math.random() * free.length)];
    if (slot === undefined) throw fail('API_KEY_LIMIT', `at most ${maxApiKeys} API keys a user`, { limit: maxApiKeys });
    const document = { ...key, slot, createdAt: clock(), lastUsedAt: null };
    if (await apiKeys.insert(document)) return document;
  }
}
