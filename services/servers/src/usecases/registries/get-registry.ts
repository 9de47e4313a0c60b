import type { PageQuery } from '@panel/kit/mongo';
import type { ServersContext } from '../../context.js';
import type { Registry } from '../../domain/registries/registry.js';
import { fail } from '../../reasons.js';

type RegistryDeps = Pick<ServersContext, 'stores'>;

/** Throws REGISTRY_NOT_FOUND. */
export async function getRegistry({ stores }: RegistryDeps, registryId: string): Promise<Registry> {
  const registry = await stores.registries.get(registryId);
  if (!registry) throw registryNotFound(registryId);
  return registry;
}

export async function listRegistries(
  { stores }: RegistryDeps,
  page: PageQuery,
): Promise<{ registries: Registry[]; total: number }> {
  return stores.registries.list(page);
}

export function registryNotFound(registryId: string) {
  return fail('REGISTRY_NOT_FOUND', 'no such registry', { registry_id: registryId });
}
