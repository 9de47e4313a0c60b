import type { Logger } from '@panel/kit/process';
import type { GameNode } from '../domain/nodes/node.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { NodeFiles } from '../node-clients/files.js';

/** Let the files of a server that stays be changed again; with a files service that is unavailable this happens by itself soon. */
export async function thaw(
  { files, log }: { readonly files: Pick<NodeFiles, 'thaw'>; readonly log: Logger },
  node: GameNode,
  { serverId, operationId }: Pick<OperationLease, 'serverId' | 'operationId'>,
): Promise<void> {
  try {
    await files.thaw(node, serverId, operationId);
  } catch (error) {
    log.warn({ err: error, serverId }, 'the files of a server that stays are frozen for some minutes more');
  }
}

/** A freeze ends by itself after 2 minutes. */
const renewMs = 25_000;
/** For so long after an answer a freeze is as good as certain, and the rest is for the write that relies on it. */
const certainMs = 60_000;

interface FreezeLeaseDeps {
  readonly files: Pick<NodeFiles, 'freeze'>;
  readonly log: Logger;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/** The files of a server that is leaving a node: as they are, for as long as this is held. */
export class FreezeLease {
  readonly #timer: NodeJS.Timeout;
  readonly #now: () => number;

  private constructor(
    private readonly deps: FreezeLeaseDeps,
    private readonly node: GameNode,
    private readonly lease: OperationLease,
    private readonly freezeId: string,
    /** When the last call was sent that was answered well. */
    private knownAt: number,
  ) {
    this.#now = deps.now ?? monotonic;
    this.#timer = setInterval(() => {
      // Whether it is lost is asked when it matters.
      this.#renew().catch((error: unknown) => deps.log.warn({ err: error, ...lease }, 'a freeze was not renewed'));
    }, renewMs).unref();
  }

  /** What was acknowledged before is in the files, and nothing comes after. Throws SERVICE_UNAVAILABLE. */
  static async take(deps: FreezeLeaseDeps, node: GameNode, lease: OperationLease): Promise<FreezeLease> {
    const askedAt = (deps.now ?? monotonic)();
    const freezeId = await deps.files.freeze(node, lease.serverId, lease.operationId);
    return new FreezeLease(deps, node, lease, freezeId, askedAt);
  }

  /**
   * Resolves when nothing could change since it was taken, and nothing can for a minute. A node that has died a moment ago
   * is not asked: it keeps its freezes. Throws VOLUME_THAWED, SERVICE_UNAVAILABLE.
   */
  async confirm(): Promise<void> {
    if (this.#now() - this.knownAt > certainMs) await this.#renew();
  }

  /** Renew it no more. */
  release(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const askedAt = this.#now();
    await this.deps.files.freeze(this.node, this.lease.serverId, this.lease.operationId, this.freezeId);
    this.knownAt = askedAt;
  }
}

function monotonic(): number {
  return performance.now();
}
