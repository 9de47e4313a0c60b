import type { Actor } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { maskSecrets, openSecrets } from '../../crypto/setting-secrets.js';
import type { Settings } from '../../domain/settings.js';

/** Secrets are opened for services, masked for users. */
export async function getSettings({ settings, box, log }: AdminContext, actor: Actor): Promise<Settings> {
  const { settings: stored } = await settings.read();
  if (actor.kind !== 'service') return maskSecrets(stored);
  const { settings: opened, lost } = openSecrets(stored, box);
  if (lost.length > 0)
    log.warn({ settings: lost }, 'SERVICE_SECRET has changed since these settings were written: set them again');
  return opened;
}
