import type { ServersContext } from '../../context.js';
import { registryNotFound } from './get-registry.js';

/** Throws REGISTRY_NOT_FOUND. */
export async function deleteRegistry({ stores }: Pick<ServersContext, 'stores'>, registryId: string): Promise<void> {
  if (!(await stores.registries.delete(registryId))) throw registryNotFound(registryId);
}
