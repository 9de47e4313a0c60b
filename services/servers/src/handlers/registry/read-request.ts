import type { CreateRegistryRequest, UpdateRegistryRequest } from '@panel/protos/servers';
import type { GivenRegistry } from '../../domain/registries/check-registry.js';

export function readNewRegistry(request: CreateRegistryRequest): GivenRegistry {
  return { ...request, eggId: request.eggId || null };
}

export function readRegistryUpdate({ registryId: _registryId, ...request }: UpdateRegistryRequest): GivenRegistry {
  return { ...request, eggId: request.eggId === undefined ? undefined : request.eggId || null };
}
