import { grants } from '@panel/rpc';
import { accountPermissions, adminPermissions, serverPermissions } from '@panel/protos/permissions';

/** Of roles: `area.verb`, `area.*` and `*`. */
export const rolePermissions: ReadonlySet<string> = new Set(['*', ...withAreas(adminPermissions)]);

/** Of API keys: those of roles, servers and account. */
export const keyPermissions: ReadonlySet<string> = new Set([
  ...rolePermissions,
  ...withAreas(serverPermissions),
  ...withAreas(accountPermissions),
]);

function withAreas(permissions: readonly string[]): string[] {
  return permissions.flatMap((permission) => [`${permission.slice(0, permission.indexOf('.'))}.*`, permission]);
}

/** The part of a key's list that depends on the owner's role: every owner has the server and account permissions. */
export function rolePermissionsOf(list: readonly string[]): string[] {
  return list.filter((permission) => rolePermissions.has(permission));
}

/** Wildcards on either side: `servers.*` and `servers.view` give `servers.view`. */
export function intersectPermissions(left: readonly string[], right: readonly string[]): string[] {
  const both = [
    ...left.filter((permission) => grants(right, permission)),
    ...right.filter((permission) => grants(left, permission)),
  ];
  return [...new Set(both)].sort();
}

/** `wanted` minus `held`. */
export function excessPermissions(held: readonly string[], wanted: readonly string[]): string[] {
  return wanted.filter((permission) => !grants(held, permission));
}
