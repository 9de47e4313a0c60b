import { type Field, id, listOf, type RecordOf, text } from '@panel/kit/records';
import { type ServerPermission, serverPermissions } from '@panel/protos/permissions';

export const subuserRoleFields = {
  id,
  name: text,
  permissions: listOf(text as Field<ServerPermission>),
};
export type SubuserRole = RecordOf<typeof subuserRoleFields>;

export const maxSubuserRoles = 20;

export const viewerPermissions: readonly ServerPermission[] = [
  'websocket.connect',
  'file.read',
  'file.read-content',
  'backup.read',
  'allocation.read',
  'startup.read',
  'database.read',
  'schedule.read',
  'activity.read',
];

const operating: readonly ServerPermission[] = [
  ...viewerPermissions,
  'control.console',
  'control.start',
  'control.stop',
  'control.restart',
  'backup.create',
];

/** Only for owners. */
const reserved = /^(user|allocation)\.(create|update|delete)$|^settings\.reinstall$/;

/** Built-in roles, weakest first. */
export const builtInRoles: readonly SubuserRole[] = [
  { id: 'viewer', name: 'Viewer', permissions: viewerPermissions },
  { id: 'operator', name: 'Operator', permissions: operating },
  {
    id: 'developer',
    name: 'Developer',
    permissions: serverPermissions.filter((permission) => !reserved.test(permission)),
  },
];

export function findBuiltInRole(roleId: string): SubuserRole | undefined {
  return builtInRoles.find(({ id }) => id === roleId);
}

export function findRole(own: readonly SubuserRole[], roleId: string): SubuserRole | undefined {
  return findBuiltInRole(roleId) ?? own.find(({ id }) => id === roleId);
}
