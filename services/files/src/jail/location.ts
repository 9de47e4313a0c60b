import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { invalidFields } from '@panel/kit/errors';
import { fail } from '../reasons.js';
import type { Segments } from '../domain/path.js';
import { withHandle } from './node.js';
import { openByName, resolveParent } from './resolve.js';

/** Where an entry is or will be: a name in a directory. */
export interface Location {
  readonly directory: FileHandle;
  /** Directories still to be made between `directory` and the name. */
  readonly missing: Segments;
  readonly name: Buffer;
  /** The whole path below the root, links on the way resolved. */
  readonly segments: Segments;
  /** What is there now, a link as itself; null for nothing. */
  readonly found: { readonly node: FileHandle; readonly stats: BigIntStats } | null;
}

/**
 * Find the place a path names. Links on the way are followed inside the root; what the last name is, is not. Throws
 * INVALID_FIELDS (`field`) for the root itself, FILE_NOT_FOUND when something on the way is no directory.
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

/** As `locate`, for what must be there. Throws FILE_NOT_FOUND. */
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

/** What the name leads to now, a link as itself: others may have replaced or removed what was found. Null for nothing. */
export async function withCurrent<T>(
  { directory, missing, name }: Location,
  use: (current: Location['found']) => Promise<T>,
): Promise<T> {
  const named = missing.length === 0 ? await openByName(directory, name) : null;
  if (!named) return use(null);
  return withHandle(named.node, async (node) => use({ node, stats: await node.stat({ bigint: true }) }));
}

/** Throws LINK_REFUSED for a link, NOT_A_FILE for anything else that is no regular file. */
export function requireRegular(stats: BigIntStats): void {
  if (stats.isSymbolicLink()) throw fail('LINK_REFUSED', 'this is a symbolic link');
  if (!stats.isFile()) throw fail('NOT_A_FILE', 'this is not a regular file');
}
