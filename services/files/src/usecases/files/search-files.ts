import type { FilesContext } from '../../context.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { duplicate } from '../../jail/node.js';
import { resolve } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import type { SearchResult } from '../../searches/search-tree.js';
import { type FileAccess, type Workspace, withWorkspace } from '../../workspace/workspace.js';

interface SearchInput extends FileAccess {
  readonly root: Segments;
  /** Part of the name, or a glob; empty: any. */
  readonly name: string;
  /** Literal text; empty: only names. */
  readonly content: string;
  readonly limit: number;
}

/**
 * In path order, the summary last. Follows no link; skips contents of protected files, binary files and files over 4
 * MiB. Throws NOT_A_DIRECTORY, OPERATION_LIMIT.
 */
export async function* searchFiles(
  context: Pick<FilesContext, 'searches' | 'volumes' | 'freezes' | 'quotas'>,
  { grant, signal, root, ...query }: SearchInput,
): AsyncGenerator<SearchResult> {
  const { directory, prefix } = await openDirectory(context, root, { grant, signal });
  const search = { ...query, grant, prefix, rootFd: directory.fd };
  yield* context.searches.run(search, signal, async () => directory.close());
}

async function openDirectory(
  context: Pick<FilesContext, 'volumes' | 'freezes' | 'quotas'>,
  root: Segments,
  access: FileAccess,
) {
  return withWorkspace(context, access, async (workspace: Workspace) => {
    const { guard } = workspace;
    guard.check(displayPath(root), true);
    return resolve(workspace.root, root, { followLast: true }, async ({ node, stats, segments }) => {
      if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
      guard.check(displayPath(segments), true);
      const prefix = segments.length === 0 ? '' : `${displayPath(segments)}/`;
      return { directory: await duplicate(node), prefix };
    });
  });
}
