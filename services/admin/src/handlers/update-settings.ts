import { randomUUID } from 'node:crypto';
import { type Handler, requirePermission, type UserActor } from '@panel/rpc';
import { Settings as SettingsMessage, type SettingsServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../context.js';
import { checkChanges, checkTogether, mustHoldTogether, withChanges } from '../domain/setting-changes.js';
import { maskSecrets, sealSecrets } from '../domain/setting-secrets.js';
import { type SettingChanges, settingPaths, type Settings } from '../domain/settings.js';
import type { SettingsStore } from '../models/settings.js';
import { givenSettings, presentSettings } from '../present.js';
import { fail } from '../reasons.js';

/** Change the settings that are given, and no other. The answer shows secrets to nobody. */
export function updateSettings(context: AdminContext): Handler<SettingsServiceService['updateSettings']> {
  const { settings, box } = context;
  return async (request, { actor, log }) => {
    requirePermission(actor, 'settings.update');
    const changes = checkChanges(givenSettings(request.settings ?? SettingsMessage.create()));
    const changed = await applyChanges(settings, sealSecrets(changes, box));
    if (actor.kind === 'user' && Object.keys(changes).length > 0) {
      await noteChange(context, actor, Object.keys(changes)).catch((error: unknown) =>
        log.error({ err: error }, 'a change of the settings is missing in the activity log'),
      );
    }
    return { settings: presentSettings(maskSecrets(changed)) };
  };
}

/** What was changed, never to what: some of it is secret. */
async function noteChange({ activity, now }: AdminContext, actor: UserActor, paths: readonly string[]): Promise<void> {
  const restNames = settingPaths().flatMap(({ path, restPath }) => (paths.includes(path) ? [restPath] : []));
  await activity.add([
    {
      id: randomUUID(),
      event: 'settings:update',
      time: now(),
      actorId: actor.userId,
      apiKeyId: actor.method === 'api_key' ? actor.credentialId : null,
      ip: actor.ip,
      userAgent: '',
      userId: null,
      serverId: null,
      properties: { settings: restNames.join(', ') },
    },
  ]);
}

const maxTries = 60;

/**
 * Single fields are set without looking. Where fields must agree with each other, the change is made only to the very
 * settings it was checked against, and checked again when somebody was faster.
 */
async function applyChanges(store: SettingsStore, changes: SettingChanges): Promise<Settings> {
  if (Object.keys(changes).length === 0) return (await store.read()).settings;
  for (let tries = 0; tries < maxTries; tries += 1) {
    let version: number | undefined;
    if (mustHoldTogether(changes)) {
      const current = await store.read();
      checkTogether(withChanges(current.settings, changes));
      version = current.version;
    }
    const changed = await store.change(changes, version);
    if (changed) return changed;
  }
  throw fail('SETTINGS_BUSY', 'others are changing the settings, try again');
}
