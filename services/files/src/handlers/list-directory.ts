import type { Handler } from '@panel/rpc';
import type { FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { listEntries } from '../jail/entries.js';
import { displayPath, parsePath } from '../jail/path.js';
import { resolve } from '../jail/resolve.js';
import { presentEntry } from '../present.js';
import { fail } from '../reasons.js';
import { withWorkspace } from '../workspace.js';

/** What is in a directory of a server. */
export function listDirectory(context: FilesContext): Handler<FileServiceService['listDirectory']> {
  return async (request, { signal }) => {
    const listing = await withWorkspace(
      context,
      { grant: request.grant, permission: 'file.read', signal },
      async ({ root, denylist }) => {
        const asked = parsePath(request.directory, 'directory');
        denylist.check(displayPath(asked), true);
        return resolve(root, asked, { followLast: true }, async ({ node, stats, segments }) => {
          if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
          denylist.check(displayPath(segments), true);
          return listEntries(root, node, segments);
        });
      },
    );
    return { entries: listing.entries.map(presentEntry), truncated: listing.isTruncated };
  };
}
