import type { FilesContext } from '../../context.js';
import { fromErrno, mapFsErrors } from '../../jail/errno.js';
import { batchSteps } from '../../transfers/batch-steps.js';
import { exportSteps } from '../../transfers/export-steps.js';
import type { PartialBytes } from '../../transfers/read-tree.js';

/** Targets time out after one idle minute. */
const keepAliveMs = 2_000;

interface ExportInput {
  readonly volume: string;
  readonly afterPath: Buffer;
  readonly partial: PartialBytes | undefined;
}

export async function* exportVolume(
  { volumes, tempNames }: Pick<FilesContext, 'volumes' | 'tempNames'>,
  { volume, afterPath, partial }: ExportInput,
  signal: AbortSignal,
) {
  const root = await mapFsErrors(async () => volumes.openRoot(volume));
  try {
    const steps = exportSteps(root, { afterPath, tempNames, partial });
    for await (const message of batchSteps(steps, { keepAliveMs })) {
      signal.throwIfAborted();
      yield message;
    }
  } catch (error) {
    throw fromErrno(error);
  } finally {
    await root.close();
  }
}
