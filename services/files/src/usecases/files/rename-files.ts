import { AppError, isErrno } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { withDirectories } from '../../jail/directories.js';
import { fromErrno } from '../../jail/errno.js';
import { locate, locateExisting } from '../../jail/location.js';
import { moveWithoutReplacing } from '../../jail/move.js';
import { fail } from '../../reasons.js';
import {
  type FileAccess,
  intoItself,
  requireNothingDenied,
  requireNotIntoItself,
  withWorkspace,
  type Workspace,
} from '../../workspace/workspace.js';

export interface Move {
  readonly from: Segments;
  readonly to: Segments;
  /** Of `to`, for errors. */
  readonly field: string;
}

/** Without overwriting. Stops at the first failure, with `done` in its metadata. */
export async function renameFiles(
  context: FilesContext,
  { moves, ...access }: FileAccess & { readonly moves: readonly Move[] },
): Promise<void> {
  await withWorkspace(context, access, async (workspace) => {
    for (const [done, move] of moves.entries()) {
      try {
        workspace.signal.throwIfAborted();
        await moveOne(context, workspace, move);
      } catch (error) {
        throw withDone(fromErrno(error), done);
      }
    }
  });
}

async function moveOne({ owner }: FilesContext, { root, guard }: Workspace, move: Move): Promise<void> {
  await locateExisting(root, move.from, 'from', async (source) => {
    const isDirectory = source.found.stats.isDirectory();
    guard.check(displayPath(move.from), isDirectory);
    await requireNothingDenied(guard, source.found, source.segments);
    await locate(root, move.to, 'to', async (target) => {
      guard.check(displayPath(move.to), isDirectory);
      await requireNothingDenied(guard, source.found, target.segments);
      if (isDirectory) guard.requireUniformBelow(displayPath(target.segments));
      if (isDirectory) requireNotIntoItself(source, target, move.field);
      if (target.found) throw fail('FILE_EXISTS', 'there is something of this name already');
      await withDirectories(target.directory, target.missing, owner, async (directory) =>
        moveWithoutReplacing(source, { directory, name: target.name }, isDirectory),
      );
    });
  }).catch((error: unknown) => {
    // EINVAL: the directory became an ancestor of its target
    throw isErrno(error, 'EINVAL') ? intoItself(move.field) : error;
  });
}

function withDone(error: unknown, done: number): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.kind, error.reason, error.message, { ...error.metadata, done }, { cause: error });
}
