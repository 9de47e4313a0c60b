import type { Logger } from '@panel/kit/process';
import { serverTimeoutMs } from '../../config-files/limits.js';
import type { ConfigFile } from '../../domain/config-file.js';
import { type FileResult, rewriteFiles } from '../../config-files/rewrite-files.js';
import type { FilesContext } from '../../context.js';
import { displayPath } from '../../domain/path.js';
import { mapFsErrors } from '../../jail/errno.js';
import { volumeOf } from '../../volumes/volumes.js';

export async function rewriteConfigFiles(
  { volumes, owner, tempNames, fileMutex, rewriters }: FilesContext,
  {
    serverId,
    files,
    signal,
    log,
  }: {
    readonly serverId: string;
    readonly files: readonly ConfigFile[];
    readonly signal: AbortSignal;
    readonly log: Logger;
  },
): Promise<FileResult[]> {
  return rewriters.use(async (rewriter) => {
    // the caller may have left
    signal.throwIfAborted();
    const options = {
      rewriter,
      owner,
      tempNames,
      lock: async <T>(path: readonly Buffer[], work: () => Promise<T>) =>
        fileMutex.run(`${serverId}/${displayPath(path)}`, work),
      timeoutMs: serverTimeoutMs,
      signal,
      log: log.child({ serverId }),
    };
    return mapFsErrors(async () =>
      volumes.open(volumeOf(serverId), async (root) => rewriteFiles(root, files, options)),
    );
  });
}
