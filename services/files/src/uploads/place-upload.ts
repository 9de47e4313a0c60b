import { link, rename, unlink, type FileHandle } from 'node:fs/promises';
import { isAppError, isErrno } from '@panel/kit/errors';
import { displayPath } from '../domain/path.js';
import type { Upload } from '../domain/upload.js';
import { syncDirectory, withAtomicFile } from '../jail/atomic-write.js';
import { chownTo, withDirectories } from '../jail/directories.js';
import { type Location, withCurrent } from '../jail/location.js';
import { entryPath, openTrusted, withHandle } from '../jail/node.js';
import { openByName } from '../jail/resolve.js';
import { readChunks } from '../jail/read-chunks.js';
import { requireCondition } from '../jail/write-condition.js';
import { fail } from '../reasons.js';
import { fitTrash } from '../trash/fit-trash.js';
import { saveVersion } from '../versions/save-version.js';
import type { Workspace } from '../workspace/workspace.js';
import { locateTarget } from './locate-target.js';
import type { UploadDeps } from './upload-deps.js';

const newFileMode = 0o644;

/**
 * One rename. Repeatable after a crash: missing bytes mean it is placed. Throws FILE_CHANGED, and errors of
 * `locateTarget`; then retryable.
 */
export async function placeUpload(context: UploadDeps, workspace: Workspace, upload: Upload): Promise<Upload> {
  const { store, files } = context.uploads;
  const file = await files.open(upload);
  if (!file) return complete(context, upload);
  await withHandle(file, async () => {
    await locateTarget(workspace, upload, async (location) => {
      const mode = location.found ? Number(location.found.stats.mode) & 0o777 : newFileMode;
      await chownTo(file, context.owner);
      // after chown, which clears mode bits
      await file.chmod(mode);
      await file.sync();
      const path = displayPath(location.segments);
      await context.fileMutex.run(`${upload.serverId}/${path}`, async () => {
        await store.setState(upload.id, 'placing');
        try {
          await withCurrent(location, async (found) => {
            if (upload.condition) await requireCondition(found, upload.condition);
            if (found) await saveVersion(context, workspace.grant, `/${path}`, found.node);
            await withDirectories(location.directory, location.missing, context.owner, async (parent) =>
              moveInto(context, { upload, file, mode }, { ...location, directory: parent }),
            );
            await countReplaced(context, workspace, found);
          });
        } catch (error) {
          await store.setState(upload.id, 'receiving');
          throw error;
        }
      });
    });
  });
  fitTrash(context, workspace.grant);
  return complete(context, upload);
}

async function complete({ uploads }: UploadDeps, upload: Upload): Promise<Upload> {
  await uploads.store.setState(upload.id, 'completed');
  return { ...upload, state: 'completed', offsetBytes: upload.sizeBytes };
}

interface Arrived {
  readonly upload: Upload;
  readonly file: FileHandle;
  readonly mode: number;
}

async function moveInto(context: UploadDeps, arrived: Arrived, location: Location): Promise<void> {
  const { upload } = arrived;
  await withHandle(await openTrusted(context.uploads.files.directoryOf(upload.serverId)), async (directory) => {
    const source = entryPath(directory, Buffer.from(upload.id));
    const target = entryPath(location.directory, location.name);
    try {
      if (upload.overwrite) await rename(source, target);
      else if (await linkUnlessTaken(arrived, source, location)) await unlink(source);
      else throw fail('FILE_EXISTS', 'there is something of this name already');
    } catch (error) {
      if (isErrno(error, 'EISDIR', 'ENOTEMPTY')) throw fail('NOT_A_FILE', 'this is a directory', {}, { cause: error });
      // a separate file system, or no hard links
      if (isAppError(error) || !isErrno(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP')) throw error;
      await copyInto(context, arrived, location);
      await unlink(source);
    }
  });
  await syncDirectory(location.directory);
}

/** Also after a crash before the unlink. */
async function linkUnlessTaken({ file }: Arrived, source: Buffer, { directory, name }: Location): Promise<boolean> {
  try {
    await link(source, entryPath(directory, name));
    return true;
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    const named = await openByName(directory, name);
    if (!named) return false;
    return withHandle(named.node, async (node) => {
      const [there, ours] = [await node.stat({ bigint: true }), await file.stat({ bigint: true })];
      return there.ino === ours.ino && there.dev === ours.dev;
    });
  }
}

async function copyInto({ owner, tempNames }: UploadDeps, arrived: Arrived, location: Location): Promise<void> {
  const { upload, file, mode } = arrived;
  const { directory, name } = location;
  await withAtomicFile({ directory, mode, owner, tempNames }, async (copy) => {
    for await (const chunk of readChunks(file, 0, upload.sizeBytes)) await copy.write(chunk);
    if (upload.overwrite) await copy.replace(directory, name);
    else if (!(await copy.linkAs(directory, name))) {
      throw fail('FILE_EXISTS', 'there is something of this name already');
    }
  });
}

async function countReplaced({ usage }: UploadDeps, { grant }: Workspace, found: Location['found']): Promise<void> {
  if (!found || (await found.node.stat({ bigint: true })).nlink > 0n) return;
  if (!usage.free(grant.serverId, found.stats)) usage.expire(grant.serverId);
}
