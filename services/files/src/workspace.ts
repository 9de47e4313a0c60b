import type { FileHandle } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from './context.js';
import { createDenylist, type Denylist } from './domain/denylist.js';
import { changingPermissions, type FilePermission, requireGrant } from './domain/grant.js';
import { diskWork } from './jail/errno.js';
import { displayPath, type Segments } from './jail/path.js';
import { walkTree } from './jail/tree.js';

/** A server's files, open for one piece of work. */
export interface Workspace {
  readonly grant: FileGrant;
  readonly root: FileHandle;
  readonly denylist: Denylist;
  /** The work has to end. */
  readonly signal: AbortSignal;
}

export interface WorkspaceRequest {
  /** The token of a grant. */
  readonly grant: string;
  readonly permission: FilePermission;
  /** Nobody waits any more. */
  readonly signal: AbortSignal;
}

/**
 * Open what a grant is for and run `use`. Throws GRANT_INVALID, GRANT_INSUFFICIENT, VOLUME_NOT_FOUND, and SERVER_LOCKED for
 * work that would change a volume which is about to leave.
 */
export async function withWorkspace<T>(
  { grants, volumes, freezes }: FilesContext,
  { grant: token, permission, signal: outer }: WorkspaceRequest,
  use: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const grant = requireGrant(grants, token, permission);
  const denylist = createDenylist(grant.denylist);
  const work = async (signal: AbortSignal) =>
    volumes.open(grant.volume, async (root) => use({ grant, root, denylist, signal }));
  return diskWork(async () =>
    changingPermissions.has(permission) ? freezes.change(grant.serverId, outer, work) : work(outer),
  );
}

/**
 * Throws FILE_DENIED when something at this place, or, if it is a directory, anything below it, is on the denylist: what
 * may not be touched may not be moved away or deleted with its directory either.
 */
export async function requireNothingDenied(
  denylist: Denylist,
  node: FileHandle,
  stats: BigIntStats,
  segments: Segments,
): Promise<void> {
  denylist.check(displayPath(segments), stats.isDirectory());
  if (denylist.isEmpty || !stats.isDirectory()) return;
  await walkTree(node, {
    entry: (_directory, name, below, above) =>
      denylist.check(displayPath([...segments, ...above(), name]), below.isDirectory()),
  });
}
