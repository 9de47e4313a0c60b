import { type ServerPermission, serverPermissions } from '@panel/protos/permissions';

/** A named set of permissions of one server. */
export interface SubuserRole {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly ServerPermission[];
}

export const maxSubuserRoles = 20;

/** Those that only read. */
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

/** What operators and developers leave to the owner: other subusers, addresses, and a new installation. */
const reserved = /^(user|allocation)\.(create|update|delete)$|^settings\.reinstall$/;

/** The roles of every server, from the least to the most. */
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

/** A role of a server by its id: one that every server has, or one of its own. */
export function findRole(own: readonly SubuserRole[], roleId: string): SubuserRole | undefined {
  return findBuiltInRole(roleId) ?? own.find(({ id }) => id === roleId);
}
