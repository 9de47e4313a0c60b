import { type Handler, requireService } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { VolumeServiceService } from '@panel/protos/files';
import { serverTimeoutMs } from '../config-files/limits.js';
import { protoOutcomes, readConfigFile } from '../config-files/request.js';
import { rewriteFiles, type RewriteOptions } from '../config-files/rewrite-files.js';
import { createRewriters } from '../config-files/rewriter.js';
import type { FilesContext } from '../context.js';
import { requireServerId } from '../domain/server-id.js';
import { diskWork } from '../jail/errno.js';
import { displayPath } from '../jail/path.js';
import { volumeOf } from '../jail/volumes.js';

const maxFiles = 100;
/** Servers at the same time: each has a thread with a heap of its own. */
const maxServers = 2;

/** Write what an egg wants into a server's configuration files. */
export function rewriteConfigFiles(context: FilesContext): Handler<VolumeServiceService['rewriteConfigFiles']> {
  const { volumes, owner, temporaries, lock } = context;
  const lend = createRewriters(maxServers);
  return async (request, { actor, signal, log }) => {
    requireService(actor);
    const serverId = requireServerId(request.serverId);
    if (request.files.length > maxFiles) throw invalidFields({ files: [`must be at most ${maxFiles}`] });
    const files = request.files.map(readConfigFile);
    const options: Omit<RewriteOptions, 'rewriter'> = {
      owner,
      temporaries,
      lock: async (path, work) => lock(`${serverId}/${displayPath(path)}`, work),
      timeoutMs: serverTimeoutMs,
      signal,
      log: log.child({ serverId }),
    };
    const results = await lend(async (rewriter) => {
      // whoever waited longer than they wanted to takes nobody's turn
      signal.throwIfAborted();
      return diskWork(async () =>
        volumes.open(volumeOf(serverId), async (root) => rewriteFiles(root, files, { ...options, rewriter })),
      );
    });
    return { results: results.map((result) => ({ ...result, outcome: protoOutcomes[result.outcome] })) };
  };
}
