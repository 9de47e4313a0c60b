import { grants } from '@panel/rpc';
import { accountPermissions, adminPermissions, serverPermissions } from '@panel/protos/permissions';

/** Every permission a role can hold: `area.verb`, `area.*` and `*`. */
export const rolePermissions: ReadonlySet<string> = new Set(['*', ...withAreas(adminPermissions)]);

/** Every permission the list of an API key can hold: those of roles, of servers and of the own account. */
export const keyPermissions: ReadonlySet<string> = new Set([
  ...rolePermissions,
  ...withAreas(serverPermissions),
  ...withAreas(accountPermissions),
]);

function withAreas(permissions: readonly string[]): string[] {
  return permissions.flatMap((permission) => [`${permission.slice(0, permission.indexOf('.'))}.*`, permission]);
}

/** The permissions in the list of a key that its owner must hold by a role: every owner has those of servers and account. */
export function rolePermissionsOf(list: readonly string[]): string[] {
  return list.filter((permission) => rolePermissions.has(permission));
}

/** What both sets allow, with wildcards on either side: `servers.*` and `servers.view` give `servers.view`. */
export function intersectPermissions(left: readonly string[], right: readonly string[]): string[] {
  const both = [
    ...left.filter((permission) => grants(right, permission)),
    ...right.filter((permission) => grants(left, permission)),
  ];
  return [...new Set(both)].sort();
}

/** The permissions of `wanted` that `held` does not cover. */
export function excessPermissions(held: readonly string[], wanted: readonly string[]): string[] {
  return wanted.filter((permission) => !grants(held, permission));
}
