import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { type Entry, type Listing, listEntries } from '../../jail/entries.js';
import { resolve } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import { withWorkspace } from './workspace.js';

/** List a directory; symbolic links on the way are followed inside the root. */
export async function listDirectory(
  context: FilesContext,
  { grant, signal, directory }: { readonly grant: FileGrant; readonly signal: AbortSignal; readonly directory: string },
): Promise<Listing> {
  return withWorkspace(context, { grant, signal }, async ({ root, guard }) => {
    const requested = parsePath(directory, 'directory');
    guard.check(displayPath(requested), true);
    return resolve(root, requested, { followLast: true }, async ({ node, stats, segments }) => {
      if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
      guard.check(displayPath(segments), true);
      const listing = await listEntries(root, node, segments);
      const isHidden = ({ name, isFile, isSymlink }: Entry) =>
        guard.hides([displayPath(segments), name].join('/'), !isFile && !isSymlink);
      return { ...listing, entries: listing.entries.filter((entry) => !isHidden(entry)) };
    });
  });
}
