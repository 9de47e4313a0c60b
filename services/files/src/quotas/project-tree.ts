import type { FileHandle } from 'node:fs/promises';
import { openNode } from '../jail/node.js';
import { ifExists } from '../jail/paths.js';
import { walkTree } from '../jail/tree.js';
import type { QuotaPrograms } from './quota-programs.js';

export interface TreeProject {
  readonly projectId: number;
  /** For directories; undefined: unchanged. */
  readonly inherits?: boolean;
  /** Hard-linked files may be in use where they are counted. */
  readonly onlySingleNames?: boolean;
  /** Between batches; may pause or throw. */
  readonly rest?: () => Promise<void>;
}

/**
 * Skips links, pipes and sockets, which use no space. Holds each inode open, so that nothing outside is affected.
 * Throws TREE_MOVED.
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
