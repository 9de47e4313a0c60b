import { AppError, invalidFields } from '@panel/kit';
import type { Handler } from '@panel/rpc';
import type { FileServiceService, RenameFilesRequest } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { checkCount, parseBelow, parseRoot } from '../domain/file-list.js';
import { fromErrno, isErrno } from '../jail/errno.js';
import { withDirectories } from '../jail/make.js';
import { moveWithoutReplacing } from '../jail/move.js';
import { displayPath, type Segments } from '../jail/path.js';
import { locate, locateExisting } from '../jail/place.js';
import { fail } from '../reasons.js';
import { requireNothingDenied, withWorkspace, type Workspace } from '../workspace.js';

interface Move {
  readonly from: Segments;
  readonly to: Segments;
  /** Name of `to` in the request, for complaints. */
  readonly field: string;
}

/** Rename or move, one after the other; nothing is overwritten. */
export function renameFiles(context: FilesContext): Handler<FileServiceService['renameFiles']> {
  return async (request, { signal }) => {
    const moves = movesOf(request);
    return withWorkspace(context, { grant: request.grant, permission: 'file.update', signal }, async (workspace) => {
      for (const [done, move] of moves.entries()) {
        try {
          workspace.signal.throwIfAborted();
          await moveOne(context, workspace, move);
        } catch (error) {
          throw withDone(fromErrno(error), done);
        }
      }
      return {};
    });
  };
}

function movesOf(request: RenameFilesRequest): Move[] {
  checkCount(request.files);
  const root = parseRoot(request.root);
  return request.files.map((file, i) => ({
    from: parseBelow(root, file.from, `files.${i}.from`),
    to: parseBelow(root, file.to, `files.${i}.to`),
    field: `files.${i}.to`,
  }));
}

async function moveOne({ owner }: FilesContext, { root, denylist }: Workspace, move: Move): Promise<void> {
  await locateExisting(root, move.from, 'from', async (source) => {
    const isDirectory = source.found.stats.isDirectory();
    denylist.check(displayPath(move.from), isDirectory);
    await requireNothingDenied(denylist, source.found.node, source.found.stats, source.segments);
    await locate(root, move.to, 'to', async (target) => {
      for (const path of [move.to, target.segments]) denylist.check(displayPath(path), isDirectory);
      if (isDirectory && isWithin(target.segments, source.segments)) throw intoItself(move.field);
      if (target.found) throw fail('FILE_EXISTS', 'there is something of this name already');
      await withDirectories(target.directory, target.missing, owner, async (directory) =>
        moveWithoutReplacing(source, { directory, name: target.name }, isDirectory),
      );
    });
  }).catch((error: unknown) => {
    // the kernel's word for a directory that would go into itself, when it got there meanwhile
    throw isErrno(error, 'EINVAL') ? intoItself(move.field) : error;
  });
}

function isWithin(path: Segments, directory: Segments): boolean {
  return path.length >= directory.length && directory.every((segment, i) => path[i]?.equals(segment));
}

function intoItself(field: string): AppError {
  return invalidFields({ [field]: ['a directory cannot go into itself'] });
}

/** The error with the number of files that were renamed before it. */
function withDone(error: unknown, done: number): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.kind, error.reason, error.message, { ...error.metadata, done }, { cause: error });
}
