import { grants } from '@panel/rpc';
import { adminPermissions } from '@panel/protos/permissions';

/** Every permission a role or a key can hold: `area.verb`, `area.*` and `*`. */
export const knownPermissions: ReadonlySet<string> = new Set([
  '*',
  ...adminPermissions.flatMap((permission) => [`${permission.slice(0, permission.indexOf('.'))}.*`, permission]),
]);

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
