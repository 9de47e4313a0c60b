import type { FileHandle } from 'node:fs/promises';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { displayPath, parsePath, type Segments } from '../../domain/path.js';
import { isTempName } from '../../domain/temp-name.js';
import { type DirectoryPage, readDirectoryPage } from '../../jail/directory-page.js';
import type { DirectoryPageQuery } from '../../domain/directory-query.js';
import { type Entry, type Listing, listEntries } from '../../jail/entries.js';
import { resolve } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import { withWorkspace } from '../../workspace/workspace.js';

interface ListInput {
  readonly grant: FileGrant;
  readonly signal: AbortSignal;
  readonly directory: string;
}

interface Place {
  readonly directory: FileHandle;
  readonly segments: Segments;
  readonly isHidden: (name: string, isDirectory: boolean) => boolean;
}

/** Follows links inside the root. */
export async function listDirectory(context: FilesContext, input: ListInput): Promise<Listing> {
  return withDirectory(context, input, async (root, { directory, isHidden, segments }) => {
    const listing = await listEntries(root, directory, segments);
    const isVisible = ({ name, isFile, isSymlink }: Entry) => !isHidden(name, !isFile && !isSymlink);
    return { ...listing, entries: listing.entries.filter(isVisible) };
  });
}

export async function listDirectoryPage(
  context: FilesContext,
  input: ListInput & { readonly query: DirectoryPageQuery },
): Promise<DirectoryPage> {
  return withDirectory(context, input, async (root, place) =>
    readDirectoryPage(root, place, input.query, input.signal),
  );
}

async function withDirectory<T>(
  context: FilesContext,
  { directory, grant, signal }: ListInput,
  use: (root: FileHandle, place: Place) => Promise<T>,
): Promise<T> {
  return withWorkspace(context, { grant, signal }, async ({ root, guard }) => {
    const requested = parsePath(directory, 'directory');
    guard.check(displayPath(requested), true);
    return resolve(root, requested, { followLast: true }, async ({ node, stats, segments }) => {
      if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
      guard.check(displayPath(segments), true);
      const shown = displayPath(segments);
      const isHidden = (name: string, isDirectory: boolean) =>
        isTempName(name) || guard.hides(`${shown}/${name}`, isDirectory);
      return use(root, { directory: node, segments, isHidden });
    });
  });
}
