import { parseImageReference } from '@panel/kit/text';
import type { RegistryCredentials, Runtime } from '@panel/runtime';
import type { GameServer } from '../domain/servers/server.js';
import type { GameDeps } from './dependencies.js';

/**
 * For a spec with this image: of its registry those of the server's egg, else those for all eggs. Without them, or where
 * no key opens them, the registry is asked as by anybody. Process nodes pull nothing.
 */
export async function pullCredentials(
  { registries, log }: Pick<GameDeps, 'registries' | 'log'>,
  { kind }: Pick<Runtime, 'kind'>,
  { id: serverId, eggId }: Pick<GameServer, 'id' | 'eggId'>,
  image: string,
): Promise<{ readonly credentials?: RegistryCredentials }> {
  const reference = parseImageReference(image);
  if (kind === 'process' || !reference || reference.isLocal) return {};
  const found = await registries.openFor(reference.registry, eggId);
  if (!found) return {};
  const { registry, secret } = found;
  if (secret === null) {
    const about = { serverId, registryId: registry.id, host: registry.host };
    log.error(about, 'credentials of a registry do not open: have the ENCRYPTION_KEYS changed?');
    return {};
  }
  const isToken = registry.secretKind === 'identity_token';
  const secrets = { password: isToken ? '' : secret, identityToken: isToken ? secret : '' };
  return { credentials: { registry: registry.host, username: registry.username, ...secrets } };
}
