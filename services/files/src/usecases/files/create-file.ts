import type { FilesContext } from '../../context.js';
import { allocatedSize, occupiedBytes } from '../../domain/disk-size.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { withAtomicFile } from '../../jail/atomic-write.js';
import { withDirectories } from '../../jail/directories.js';
import { locate } from '../../jail/location.js';
import { fail } from '../../reasons.js';
import { fitTrash } from '../../trash/fit-trash.js';
import type { Workspace } from '../../workspace/workspace.js';

const newFileMode = 0o644;
const spaceCheckBytes = 16 * 1024 * 1024;

interface NewFile {
  readonly target: Segments;
  /** For errors. */
  readonly field: string;
  /** Called only for a free target. */
  readonly chunks: () => AsyncIterable<Buffer>;
}

/**
 * Atomic, with missing parents, without overwriting (FILE_EXISTS). Reserves space first: DISK_LIMIT, NODE_DISK_LOW.
 * Throws errors of `chunks`.
 */
export async function createFile(
  context: FilesContext,
  { grant, root, guard, signal }: Workspace,
  { target, field, chunks }: NewFile,
): Promise<void> {
  const { usage, owner, tempNames, freeSpace } = context;
  guard.check(displayPath(target), false);
  await locate(root, target, field, async ({ directory, missing, name, segments, found }) => {
    guard.check(displayPath(segments), false);
    if (found) throw existsError();
    const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
    try {
      await withAtomicFile({ directory, mode: newFileMode, owner, tempNames }, async (file) => {
        let checkedUpTo = 0;
        for await (const chunk of chunks()) {
          signal.throwIfAborted();
          reservation.hold(allocatedSize(file.size() + chunk.length));
          if (file.size() >= checkedUpTo) {
            await freeSpace.require(spaceCheckBytes);
            checkedUpTo += spaceCheckBytes;
          }
          await file.write(chunk);
        }
        const isLinked = await withDirectories(directory, missing, owner, async (parent) => file.linkAs(parent, name));
        if (!isLinked) throw existsError();
        reservation.commit(occupiedBytes(await file.handle.stat({ bigint: true })));
      });
    } finally {
      reservation.release();
    }
  });
  fitTrash(context, grant);
}

function existsError() {
  return fail('FILE_EXISTS', 'there is something of this name already');
}
