import type { SecretBox } from './secret-box.js';
import { secretMask, type SettingChanges, settingPaths, type Settings } from '../domain/settings.js';
import { withChanges } from '../domain/setting-changes.js';

/** Seals secrets. */
export function sealSecrets(changes: SettingChanges, box: SecretBox): SettingChanges {
  return {
    ...changes,
    ...eachSecret((path) => (Object.hasOwn(changes, path) ? box.seal(String(changes[path]), path) : undefined)),
  };
}

/** For users: a secret shows only that it is set. */
export function maskSecrets(stored: Settings): Settings {
  return withChanges(
    stored,
    eachSecret((_path, value) => (value === '' ? '' : secretMask), stored),
  );
}

/** For services. Unreadable secrets become empty and are named in `lost`. */
export function openSecrets(stored: Settings, box: SecretBox): { settings: Settings; lost: string[] } {
  const lost: string[] = [];
  const opened = eachSecret((path, value) => {
    const text = box.open(value, path);
    if (text === null) lost.push(path);
    return text ?? '';
  }, stored);
  return { settings: withChanges(stored, opened), lost };
}

function eachSecret(
  change: (path: string, value: string) => string | undefined,
  stored?: Settings,
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const { group, field, path, setting } of settingPaths()) {
    if (!setting.isSecret) continue;
    const before = (stored?.[group] as Record<string, unknown> | undefined)?.[field];
    const value = change(path, typeof before === 'string' ? before : '');
    if (value !== undefined) changed[path] = value;
  }
  return changed;
}
