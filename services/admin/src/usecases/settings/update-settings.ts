import { randomUUID } from 'node:crypto';
import type { ActivityEvent } from '@panel/activity';
import type { Actor, UserActor } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { checkCrossFieldRules, needsCrossFieldCheck, withChanges } from '../../domain/setting-changes.js';
import { type SettingChanges, settingPaths, type Settings } from '../../domain/settings.js';
import type { SettingsStore } from '../../models/settings.js';
import { fail } from '../../reasons.js';
import { maskSecrets, sealSecrets } from '../../crypto/setting-secrets.js';

/** Secrets are stored sealed, returned masked. Throws INVALID_FIELDS, SETTINGS_BUSY. */
export async function updateSettings(context: AdminContext, actor: Actor, changes: SettingChanges): Promise<Settings> {
  const changed = await applyChanges(context.settings, sealSecrets(changes, context.box));
  if (actor.kind === 'user' && Object.keys(changes).length > 0) {
    await recordChange(context, actor, Object.keys(changes)).catch((error: unknown) =>
      context.log.error({ err: error }, 'a change of the settings is missing in the activity log'),
    );
  }
  return maskSecrets(changed);
}

/** Names only: values may be secret. */
async function recordChange(
  { activity, clock }: AdminContext,
  actor: UserActor,
  paths: readonly string[],
): Promise<void> {
  const restNames = settingPaths().flatMap(({ path, restPath }) => (paths.includes(path) ? [restPath] : []));
  const event: ActivityEvent = { event: 'settings:update', properties: { settings: restNames.join(', ') } };
  await activity.add([
    {
      ...event,
      id: randomUUID(),
      time: clock(),
      actorId: actor.userId,
      apiKeyId: actor.method === 'api_key' ? actor.credentialId : null,
      ip: actor.ip,
      userAgent: '',
      userId: null,
      serverId: null,
    },
  ]);
}

const maxAttempts = 60;

/**
 * Independent fields are set unconditionally. Dependent ones require the checked version, and retry after a concurrent
 * change.
 */
async function applyChanges(store: SettingsStore, changes: SettingChanges): Promise<Settings> {
  if (Object.keys(changes).length === 0) return (await store.read()).settings;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    let version: number | undefined;
    if (needsCrossFieldCheck(changes)) {
      const current = await store.read();
      checkCrossFieldRules(withChanges(current.settings, changes));
      version = current.version;
    }
    const changed = await store.change(changes, version);
    if (changed) return changed;
  }
  throw fail('SETTINGS_BUSY', 'others are changing the settings, try again');
}
