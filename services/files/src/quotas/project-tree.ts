import type { FileHandle } from 'node:fs/promises';
import { openNode } from '../jail/node.js';
import { ifExists } from '../jail/paths.js';
import { walkTree } from '../jail/tree.js';
import type { QuotaPrograms } from './quota-programs.js';

export interface TreeProject {
  readonly projectId: number;
  /** Whether directories pass it on; undefined: as they do now. */
  readonly inherits?: boolean;
  /** Leave files with other names alone: those may still be in use where they are counted. */
  readonly onlySingleNames?: boolean;
  /** Called between batches: the place to rest, or to give up. */
  readonly rest?: () => Promise<void>;
}

/**
 * Count everything below a directory for a project. Links, pipes and sockets keep theirs: they take no room. Each inode is
 * held open while its project changes, so nothing outside is ever touched. Throws TREE_MOVED.
 */
export async function setProjectBelow(
  programs: Pick<QuotaPrograms, 'setProject'>,
  root: FileHandle,
  { projectId, inherits, onlySingleNames = false, rest }: TreeProject,
): Promise<void> {
  let files: FileHandle[] = [];
  let directories: FileHandle[] = [];
  const closeAll = async () => {
    const open = [...files, ...directories];
    [files, directories] = [[], []];
    await Promise.all(open.map(async (handle) => handle.close()));
  };
  try {
    await walkTree(root, {
      entry: async (directory, name, stats) => {
        if (!stats.isFile() && !stats.isDirectory()) return;
        const node = await ifExists(async () => openNode(directory, name));
        if (!node) return;
        const now = await node.stat();
        if (now.isDirectory()) directories.push(node);
        else if (now.isFile() && (now.nlink === 1 || !onlySingleNames)) files.push(node);
        else await node.close();
      },
      rest: async () => {
        try {
          await programs.setProject(files, { projectId });
          await programs.setProject(directories, { projectId, ...(inherits === undefined ? {} : { inherits }) });
        } finally {
          await closeAll();
        }
        await rest?.();
      },
    });
  } finally {
    await closeAll();
  }
}
