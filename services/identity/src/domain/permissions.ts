import { grants } from '@panel/kit';

const verbs = {
  servers: ['view', 'create', 'update', 'delete', 'suspend', 'reinstall', 'transfer'],
  users: ['view', 'create', 'update', 'delete'],
  nodes: ['view', 'create', 'update', 'delete'],
  allocations: ['view', 'create', 'delete'],
  nests: ['view', 'create'],
  eggs: ['view', 'create', 'update', 'import', 'export'],
  billing: ['view', 'create', 'update', 'delete'],
  roles: ['view', 'create', 'update', 'delete'],
  settings: ['view', 'update'],
} as const;

/** Every permission a role or a key can hold: `area.verb`, `area.*` and `*`. */
export const knownPermissions: ReadonlySet<string> = new Set([
  '*',
  ...Object.entries(verbs).flatMap(([area, names]) => [`${area}.*`, ...names.map((name) => `${area}.${name}`)]),
]);

/** What both sets allow, with wildcards on either side: `servers.*` and `servers.view` meet in `servers.view`. */
export function intersectPermissions(left: readonly string[], right: readonly string[]): string[] {
  const both = [
    ...left.filter((permission) => grants(right, permission)),
    ...right.filter((permission) => grants(left, permission)),
  ];
  return [...new Set(both)].sort();
}

/** Those of `wanted` that `held` does not cover. */
export function permissionsBeyond(held: readonly string[], wanted: readonly string[]): string[] {
  return wanted.filter((permission) => !grants(held, permission));
}
