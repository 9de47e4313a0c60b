import { messageOf } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer } from '../domain/servers/server.js';
import { fail } from '../reasons.js';
import type { NodeFiles } from '../node-clients/files.js';

const bytesPerMb = 1024 * 1024;

interface DiskWatchDeps {
  readonly files: Pick<NodeFiles, 'measureFresh' | 'freeBytes'>;
  readonly log: Logger;
  readonly settings: { readonly diskWatchMs: number; readonly minFreeDiskMb: number };
}

/** Throws NODE_DISK_FULL. */
export async function requireFreeSpace(
  { files, settings }: Pick<DiskWatchDeps, 'files' | 'settings'>,
  node: GameNode,
): Promise<void> {
  const requiredBytes = settings.minFreeDiskMb * bytesPerMb;
  const freeBytes = await files.freeBytes(node);
  if (freeBytes >= requiredBytes) return;
  const metadata = { required_bytes: requiredBytes, free_bytes: freeBytes };
  throw fail('NODE_DISK_FULL', 'the disk of the node is almost full', metadata);
}

/** For unmetered writes: aborts `signal` with DISK_FULL or NODE_DISK_FULL. The caller calls `stop`. */
export class DiskWatch {
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly deps: DiskWatchDeps,
    private readonly node: GameNode,
    private readonly server: Pick<GameServer, 'id' | 'userId' | 'limits'>,
  ) {
    this.#schedule();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#measure(), this.deps.settings.diskWatchMs).unref();
  }

  async #measure(): Promise<void> {
    try {
      await this.#check();
    } catch (error) {
      this.deps.log.warn(
        { serverId: this.server.id, reason: messageOf(error) },
        'the files of a server were not measured',
      );
    }
    this.#schedule();
  }

  async #check(): Promise<void> {
    const { files } = this.deps;
    // A tree takes time to measure.
    try {
      await requireFreeSpace(this.deps, this.node);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#abort.abort(error);
      return;
    }
    const { diskMb } = this.server.limits;
    if (diskMb === 0) return;
    const usedBytes = await files.measureFresh(this.node, this.server);
    if (usedBytes > diskMb * bytesPerMb) this.#abort.abort(diskLimitExceeded(usedBytes, diskMb));
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'NODE_DISK_FULL';
}

export function diskLimitExceeded(usedBytes: number, diskMb: number) {
  const message = `the files take ${Math.ceil(usedBytes / bytesPerMb)} MB of the ${diskMb} MB of this server`;
  return fail('DISK_FULL', message, { used_bytes: usedBytes, disk_limit: diskMb * bytesPerMb });
}
