import { chmod } from 'node:fs/promises';
import type { FilesContext } from '../../context.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { locateExisting } from '../../jail/location.js';
import { handlePath } from '../../jail/node.js';
import { fail } from '../../reasons.js';
import { type FileAccess, withWorkspace, type Workspace } from '../../workspace/workspace.js';

export interface ModeChange {
  readonly path: Segments;
  /** 0 to 0o777. */
  readonly mode: number;
}

/**
 * Checks all paths first. Sets modes on open nodes: a name swapped for a link is not followed. Throws FILE_NOT_FOUND,
 * LINK_REFUSED, NOT_A_FILE, FILE_DENIED.
 */
export async function chmodFiles(
  context: Pick<FilesContext, 'volumes' | 'freezes' | 'quotas'>,
  { changes, ...access }: FileAccess & { readonly changes: readonly ModeChange[] },
): Promise<void> {
  await withWorkspace(context, access, async (workspace) => {
    for (const [i, change] of changes.entries()) await visit(workspace, change, i, false);
    for (const [i, change] of changes.entries()) await visit(workspace, change, i, true);
  });
}

async function visit({ root, guard }: Workspace, { path, mode }: ModeChange, i: number, isApplied: boolean) {
  await locateExisting(root, path, `files.${i}.file`, async ({ found, segments }) => {
    const { node, stats } = found;
    if (stats.isSymbolicLink()) throw fail('LINK_REFUSED', 'this is a symbolic link');
    if (!stats.isFile() && !stats.isDirectory()) throw fail('NOT_A_FILE', 'this is neither a file nor a directory');
    for (const one of [path, segments]) guard.check(displayPath(one), stats.isDirectory());
    // the open inode, not a link
    if (isApplied) await chmod(handlePath(node), mode);
  });
}
