import type { FileHandle } from 'node:fs/promises';
import type { FileGrant } from '@panel/rpc';
import type { DirectoryPageQuery } from '../domain/directory-query.js';
import { createFileGuard } from '../domain/file-guard.js';
import { displayPath, type Segments } from '../domain/path.js';
import { isTempName } from '../domain/temp-name.js';
import { type DirectoryPage, readDirectoryPage } from '../jail/directory-page.js';
import { listEntries } from '../jail/entries.js';
import type { DirectoryReading } from '../jail/tree.js';

export interface ListingQuery {
  readonly grant: FileGrant;
  /** The real path below the root. */
  readonly segments: Segments;
  /** Null: all entries, as far as a message takes them. */
  readonly page: DirectoryPageQuery | null;
}

/** Only what the grant shows. Both handles are borrowed. */
export async function readListing(
  { root, directory }: { readonly root: FileHandle; readonly directory: FileHandle },
  { grant, segments, page }: ListingQuery,
  reading: DirectoryReading,
): Promise<DirectoryPage> {
  const guard = createFileGuard(grant);
  const shown = displayPath(segments);
  const isHidden = (name: string, isDirectory: boolean) =>
    isTempName(name) || guard.hides(`${shown}/${name}`, isDirectory);
  if (page) return readDirectoryPage(root, { directory, segments, isHidden }, page, reading);
  const listing = await listEntries(root, { directory, segments }, reading);
  const entries = listing.entries.filter(({ name, isFile, isSymlink }) => !isHidden(name, !isFile && !isSymlink));
  return { entries, total: entries.length, isTruncated: listing.isTruncated };
}
