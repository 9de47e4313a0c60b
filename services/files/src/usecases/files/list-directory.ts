import type { FileHandle } from 'node:fs/promises';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { DirectoryPageQuery } from '../../domain/directory-query.js';
import { displayPath, parsePath, type Segments } from '../../domain/path.js';
import type { DirectoryPage } from '../../jail/directory-page.js';
import { resolve } from '../../jail/resolve.js';
import { type DirectoryReading, statEntries } from '../../jail/tree.js';
import { readListing } from '../../listings/read-listing.js';
import { fail } from '../../reasons.js';
import { withWorkspace } from '../../workspace/workspace.js';

interface ListInput {
  readonly grant: FileGrant;
  readonly signal: AbortSignal;
  readonly directory: string;
  /** Null: all entries, as far as a message takes them. */
  readonly page: DirectoryPageQuery | null;
}

/** On the event loop they take about 5 ms. Longer directories are read in a thread. */
const shortEntries = 1_024;

class LongDirectoryError extends Error {}

/** Follows links inside the root. Throws OPERATION_LIMIT. */
export async function listDirectory(context: FilesContext, input: ListInput): Promise<DirectoryPage> {
  const { grant, signal, page } = input;
  return withDirectory(context, input, async (root, directory, segments) => {
    const query = { grant, segments, page };
    try {
      return await readListing({ root, directory }, query, readingShort(signal));
    } catch (error) {
      if (!(error instanceof LongDirectoryError)) throw error;
      return context.longListings.read({ ...query, rootFd: root.fd, directoryFd: directory.fd }, signal);
    }
  });
}

function readingShort(signal: AbortSignal): DirectoryReading {
  let read = 0;
  return {
    checkpoint: (entries) => {
      signal.throwIfAborted();
      read += entries;
      if (read > shortEntries) throw new LongDirectoryError();
    },
    stat: statEntries,
  };
}

async function withDirectory(
  context: FilesContext,
  { directory, grant, signal }: ListInput,
  use: (root: FileHandle, directory: FileHandle, segments: Segments) => Promise<DirectoryPage>,
): Promise<DirectoryPage> {
  return withWorkspace(context, { grant, signal }, async ({ root, guard }) => {
    const requested = parsePath(directory, 'directory');
    guard.check(displayPath(requested), true);
    return resolve(root, requested, { followLast: true }, async ({ node, stats, segments }) => {
      if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
      guard.check(displayPath(segments), true);
      return use(root, node, segments);
    });
  });
}
