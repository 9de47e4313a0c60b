import { createOnce, grants, type UserActor } from '@panel/rpc';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { IdentityContext } from '../../context.js';
import { type ApiKeyRecord, freeSlots, inheritTerms, type KeyTerms, maxApiKeys } from '../../domain/api-key.js';
import { rolePermissionsOf } from '../../domain/permissions.js';
import { fail } from '../../reasons.js';
import { loadCaller } from '../authorization/authorization.js';

interface KeyCreation {
  readonly terms: KeyTerms;
  /** Equal in a repeated creation: same key, same value. */
  readonly idempotencyId: string | undefined;
  readonly idempotencySeed: string | undefined;
}

/** Throws API_KEY_LIMIT, PERMISSION_EXCEEDS_OWN, INVALID_FIELDS, API_KEY_UNRECOVERABLE. */
export async function createApiKey(
  context: IdentityContext,
  owner: UserActor,
  { terms: wanted, idempotencyId, idempotencySeed }: KeyCreation,
): Promise<{ readonly apiKey: ApiKeyRecord; readonly key: string }> {
  const { expiresAt } = wanted;
  if (expiresAt && !(expiresAt > context.clock()))
    throw invalidFields({ expires_at: [fieldProblem('in_past', 'must be in the future')] });
  const { key, hash, identifier } = context.apiKeyGenerator.make(idempotencySeed);
  const { object: apiKey, isNew } = await createOnce(idempotencyId, {
    find: async (id) => context.apiKeys.findById(id),
    create: async (id) => {
      const terms = await requireGrantableTerms(context, owner, wanted);
      const inserted = await insertIntoFreeSlot(context, { id, userId: owner.userId, ...terms, hash, identifier });
      await removeIfOwnerDeleted(context, inserted);
      return inserted;
    },
  });
  // Created with another SERVICE_SECRET: valid, but not derivable again.
  if (apiKey.hash !== hash) throw fail('API_KEY_UNRECOVERABLE', 'the key was created and cannot be shown any more');
  if (isNew) {
    context.log.info({ userId: owner.userId, apiKeyId: apiKey.id }, 'API key created');
    const properties = { identifier };
    await context.activity.record({ event: 'user:api-key.create', userId: owner.userId, properties }, owner);
  }
  return { apiKey, key };
}

/** Within the owner's permissions and the restrictions of the creating key. */
async function requireGrantableTerms(context: IdentityContext, owner: UserActor, wanted: KeyTerms): Promise<KeyTerms> {
  const { role } = await loadCaller(context, owner.userId);
  const terms = owner.method === 'api_key' ? await inheritFromParent(context, owner, wanted) : wanted;
  const excess = rolePermissionsOf(terms.permissions ?? []).filter(
    (permission) => !grants(role.permissions, permission) || !grants(owner.permissions, permission),
  );
  if (excess.length > 0)
    throw fail('PERMISSION_EXCEEDS_OWN', 'a key cannot have permissions its owner lacks', { permissions: excess });
  return terms;
}

async function inheritFromParent(context: IdentityContext, owner: UserActor, wanted: KeyTerms): Promise<KeyTerms> {
  const parent = await context.apiKeys.findById(owner.credentialId);
  if (parent?.userId !== owner.userId) throw fail('INVALID_TOKEN', 'the session or key does not exist any more');
  const terms = inheritTerms(parent, wanted);
  if (terms === 'permissions')
    throw fail('PERMISSION_EXCEEDS_OWN', 'a key cannot create a key with permissions it lacks itself');
  if (terms === 'allowed_ips')
    throw invalidFields({ allowed_ips: ['must be among those of the key that creates this key'] });
  return terms;
}

/** A concurrent deletion of the owner may have missed this key. Throws INVALID_TOKEN. */
async function removeIfOwnerDeleted({ apiKeys, users }: IdentityContext, apiKey: ApiKeyRecord): Promise<void> {
  if ((await users.findById(apiKey.userId)) !== null) return;
  await apiKeys.remove(apiKey.id, apiKey.userId);
  throw fail('INVALID_TOKEN', 'the account does not exist any more');
}

/** A lost race tries the next slot. Throws API_KEY_LIMIT. */
async function insertIntoFreeSlot(
  { apiKeys, clock }: IdentityContext,
  key: Omit<ApiKeyRecord, 'slot' | 'createdAt' | 'lastUsedAt'>,
): Promise<ApiKeyRecord> {
  for (;;) {
    const free = freeSlots(await apiKeys.takenSlots(key.userId), maxApiKeys);
    const slot = free[Math.floor(Math.random() * free.length)];
    if (slot === undefined) throw fail('API_KEY_LIMIT', `at most ${maxApiKeys} API keys a user`, { limit: maxApiKeys });
    const record = { ...key, slot, createdAt: clock(), lastUsedAt: null };
    if (await apiKeys.insert(record)) return record;
  }
}
