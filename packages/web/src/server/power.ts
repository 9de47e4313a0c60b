import type { Server } from '@panel/client';
import type { I18n } from '../i18n/i18n.js';

export type PowerAction = 'start' | 'stop' | 'restart' | 'kill';

type Permitted = Pick<Server, 'permissions' | 'status' | 'is_owner'>;

/** Whether a server permission is held by name, area or wildcard. */
export function holds({ permissions }: Pick<Server, 'permissions'>, permission: string): boolean {
  return permissions.some((held) => held === '*' || held === permission || held === `${permission.split('.')[0]}.*`);
}

/** Why a permission is denied; null when held. */
export function permissionDenial(
  server: Pick<Server, 'permissions'>,
  permission: string,
  { t }: Pick<I18n, 't'>,
): string | null {
  return holds(server, permission) ? null : t('why.permission', { permission });
}

const locked = new Set([
  'installing',
  'reinstalling',
  'transferring',
  'restoring',
  'deleting',
  'suspended',
  'install_failed',
]);

export function powerDenial(server: Permitted, action: PowerAction, i18n: Pick<I18n, 't' | 'maybe'>): string | null {
  const permission = `control.${action === 'kill' ? 'stop' : action}`;
  const missing = permissionDenial(server, permission, i18n);
  if (missing !== null) return missing;
  const { status } = server;
  if (locked.has(status)) return i18n.t('why.locked', { status: i18n.maybe(`status.${status}`, status) });
  if (action === 'start' && status === 'running') return i18n.t('why.running');
  if ((action === 'stop' || action === 'restart') && status === 'offline') return i18n.t('why.offline');
  if (action === 'kill' && status === 'offline') return i18n.t('why.offline');
  return null;
}
