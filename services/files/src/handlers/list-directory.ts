import type { Handler } from '@panel/kit';
import type { FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { createDenylist } from '../domain/denylist.js';
import { requireGrant } from '../domain/grant.js';
import { listEntries } from '../jail/entries.js';
import { diskWork } from '../jail/errno.js';
import { displayPath, parsePath } from '../jail/path.js';
import { resolve } from '../jail/resolve.js';
import { presentEntry } from '../present.js';
import { fail } from '../reasons.js';

/** What is in a directory of a server. */
export function listDirectory({ grants, volumes }: FilesContext): Handler<FileServiceService['listDirectory']> {
  return async (request) => {
    const grant = requireGrant(grants, request.grant, 'file.read');
    const asked = parsePath(request.directory, 'directory');
    const denylist = createDenylist(grant.denylist);
    denylist.check(displayPath(asked), true);
    const listing = await diskWork(async () =>
      volumes.open(grant.volume, async (root) =>
        resolve(root, asked, { followLast: true }, async ({ node, stats, segments }) => {
          if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
          denylist.check(displayPath(segments), true);
          return listEntries(root, node, segments);
        }),
      ),
    );
    return { entries: listing.entries.map(presentEntry), truncated: listing.isTruncated };
  };
}
