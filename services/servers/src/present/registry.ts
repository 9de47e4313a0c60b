import { enumOf, messageFields } from '@panel/kit/records';
import { type Registry as RegistryMessage, Registry_Kind } from '@panel/protos/servers';
import type { Registry } from '../domain/registries/registry.js';

export function presentRegistry(registry: Registry): RegistryMessage {
  return {
    ...messageFields(registry),
    eggId: registry.eggId ?? '',
    kind: enumOf(Registry_Kind, registry.secretKind),
    createTime: registry.createdAt,
    updateTime: registry.updatedAt,
  };
}
