import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { invalidFields } from '@panel/kit/errors';
import { fail } from '../reasons.js';
import type { Segments } from '../domain/path.js';
import { withHandle } from './node.js';
import { openByName, resolveParent } from './resolve.js';

export interface Location {
  readonly directory: FileHandle;
  /** Between `directory` and the name. */
  readonly missing: Segments;
  readonly name: Buffer;
  /** With links resolved up to the name. */
  readonly segments: Segments;
  /** A link itself; null for none. */
  readonly found: { readonly node: FileHandle; readonly stats: BigIntStats } | null;
}

/**
 * Follows links inside the root, but not the last name. Throws INVALID_FIELDS (`field`) for the root, FILE_NOT_FOUND
 * for a non-directory on the way.
 */
export async function locate<T>(
  root: FileHandle,
  path: Segments,
  field: string,
  use: (location: Location) => Promise<T>,
): Promise<T> {
  const last = path.at(-1);
  if (!last) throw invalidFields({ [field]: ['must not be the root'] });
  return resolveParent(root, path.slice(0, -1), async ({ directory, segments, missing }) => {
    const named = missing.length === 0 ? await openByName(directory, last) : null;
    try {
      const name = named?.name ?? last;
      return await use({
        directory,
        missing,
        name,
        segments: [...segments, ...missing, name],
        found: named && { node: named.node, stats: await named.node.stat({ bigint: true }) },
      });
    } finally {
      await named?.node.close();
    }
  });
}

/** Throws FILE_NOT_FOUND without an entry. */
export async function locateExisting<T>(
  root: FileHandle,
  path: Segments,
  field: string,
  use: (location: Location & { readonly found: NonNullable<Location['found']> }) => Promise<T>,
): Promise<T> {
  return locate(root, path, field, async (location) => {
    const { found } = location;
    if (!found) throw fail('FILE_NOT_FOUND', 'no such file or directory');
    return use({ ...location, found });
  });
}

/** Re-reads the name, which may have changed; null for none. */
export async function withCurrent<T>(
  { directory, missing, name }: Location,
  use: (current: Location['found']) => Promise<T>,
): Promise<T> {
  const named = missing.length === 0 ? await openByName(directory, name) : null;
  if (!named) return use(null);
  return withHandle(named.node, async (node) => use({ node, stats: await node.stat({ bigint: true }) }));
}

/** Throws LINK_REFUSED for a link, otherwise NOT_A_FILE. */
export function requireRegular(stats: BigIntStats): void {
  if (stats.isSymbolicLink()) throw fail('LINK_REFUSED', 'this is a symbolic link');
  if (!stats.isFile()) throw fail('NOT_A_FILE', 'this is not a regular file');
}
