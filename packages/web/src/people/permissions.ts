import type { OptionsOf } from '@panel/client';

export type ServerPermission = NonNullable<OptionsOf<'POST /servers/{id}/subusers'>['body']['permissions']>[number];

/** In page order. The compiler checks completeness. */
const all = {
  'websocket.connect': 'console',
  'control.console': 'console',
  'control.start': 'power',
  'control.stop': 'power',
  'control.restart': 'power',
  'file.read': 'file',
  'file.read-content': 'file',
  'file.create': 'file',
  'file.update': 'file',
  'file.delete': 'file',
  'file.archive': 'file',
  'file.sftp': 'file',
  'backup.read': 'backup',
  'backup.create': 'backup',
  'backup.download': 'backup',
  'backup.restore': 'backup',
  'backup.delete': 'backup',
  'database.read': 'database',
  'database.view_password': 'database',
  'database.create': 'database',
  'database.update': 'database',
  'database.delete': 'database',
  'schedule.read': 'schedule',
  'schedule.create': 'schedule',
  'schedule.update': 'schedule',
  'schedule.delete': 'schedule',
  'user.read': 'user',
  'user.create': 'user',
  'user.update': 'user',
  'user.delete': 'user',
  'startup.read': 'startup',
  'startup.update': 'startup',
  'startup.docker-image': 'startup',
  'allocation.read': 'allocation',
  'allocation.create': 'allocation',
  'allocation.update': 'allocation',
  'allocation.delete': 'allocation',
  'settings.rename': 'settings',
  'settings.reinstall': 'settings',
  'activity.read': 'settings',
} as const satisfies Record<ServerPermission, string>;

interface PermissionGroup {
  readonly name: (typeof all)[ServerPermission];
  readonly permissions: readonly ServerPermission[];
}

const names = Object.keys(all) as ServerPermission[];

export const permissionGroups: readonly PermissionGroup[] = [...new Set(Object.values(all))].map((name) => ({
  name,
  permissions: names.filter((permission) => all[permission] === name),
}));

/** The grantable ones; a newer panel may have others. */
export function knownPermissions(list: readonly string[]): ServerPermission[] {
  return names.filter((permission) => list.includes(permission) || list.includes('*'));
}
