import type { FileGrant } from '@panel/rpc';
import { displayPath, parsePath } from '../domain/path.js';
import type { Upload } from '../domain/upload.js';
import { locate, type Location, requireRegular } from '../jail/location.js';
import { fail } from '../reasons.js';
import type { Workspace } from '../workspace/workspace.js';

/**
 * Checks the current grant. Throws FILE_DENIED, PATH_FORBIDDEN, LINK_REFUSED, NOT_A_FILE, FILE_EXISTS unless it
 * replaces a file, GRANT_INSUFFICIENT.
 */
export async function locateTarget<T>(
  { root, guard, grant }: Workspace,
  { path, overwrite }: Pick<Upload, 'path' | 'overwrite'>,
  use: (location: Location) => Promise<T>,
): Promise<T> {
  requireRight(grant, overwrite);
  const requested = parsePath(path, 'path');
  guard.check(displayPath(requested), false);
  return locate(root, requested, 'path', async (location) => {
    if (location.found) {
      requireRegular(location.found.stats);
      if (!overwrite) throw fail('FILE_EXISTS', 'there is something of this name already');
    }
    guard.check(displayPath(location.segments), false);
    return use(location);
  });
}

function requireRight({ permission }: FileGrant, overwrite: boolean): void {
  const needed = overwrite ? 'file.update' : 'file.create';
  if (permission === needed) return;
  throw fail('GRANT_INSUFFICIENT', `the grant does not allow ${needed}`, { permission: needed });
}
