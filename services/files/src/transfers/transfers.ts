import { KeyedMutex } from '@panel/kit/async';
import { AppError, isErrno } from '@panel/kit/errors';
import { fail } from '../reasons.js';
import { runAsTask } from '../volumes/run-as-task.js';
import {
  transferDiscardedError,
  findCommitted,
  type Finished,
  type PullDeps,
  type PullProgress,
  type PullRequest,
  pullVolume,
  type Removal,
  removeStaging,
  detachStaging,
} from './pull-volume.js';

interface RunningPull {
  readonly progress: Readonly<PullProgress>;
  readonly result: Promise<Finished>;
  /** The last leave stops the pull. */
  leave(): void;
}

interface Entry {
  readonly operationId: string;
  readonly progress: PullProgress;
  readonly abort: AbortController;
  readonly result: Promise<Finished>;
  listeners: number;
}

/** Retries resume from the staging tree; none comes later. */
const stagingMaxAgeMs = 7 * 24 * 3_600_000;
/** No call comes later. */
const discardMaxAgeMs = 30 * 24 * 3_600_000;

/** A node has one files process, which tracks all transfers. */
export class Transfers {
  /** By server id. */
  readonly #running = new Map<string, Entry>();
  readonly #discards = new KeyedMutex();
  /** In discard. */
  readonly #ending = new Set<string>();

  readonly #deps: PullDeps;

  constructor(deps: PullDeps) {
    this.#deps = deps;
  }

  /**
   * Callers of an operation share a pull and must leave. Throws TRANSFER_IN_PROGRESS for another operation,
   * TRANSFER_DISCARDED; the result rejects as `pullVolume`.
   */
  join(request: PullRequest): RunningPull {
    if (this.#ending.has(request.operationId)) throw transferDiscardedError();
    const before = this.#running.get(request.serverId);
    const isGoing = before !== undefined && !before.abort.signal.aborted;
    const isOther = isGoing && before.operationId !== request.operationId;
    // an operation belongs to one server
    if (isOther || this.#isRunning(request.operationId, request.serverId)) {
      throw fail('TRANSFER_IN_PROGRESS', 'another transfer of this server is arriving');
    }
    const entry = isGoing ? before : this.#begin(request, before);
    entry.listeners += 1;
    let isHere = true;
    return {
      progress: entry.progress,
      result: entry.result,
      leave: () => {
        if (!isHere) return;
        isHere = false;
        entry.listeners -= 1;
        if (entry.listeners === 0)
          entry.abort.abort(new AppError('cancelled', 'CANCELLED', 'no caller waits any more'));
      },
    };
  }

  /** Permanently ends an operation and undoes it on this node. */
  async discard(serverId: string, operationId: string): Promise<void> {
    await this.#discards.run(operationId, async () => this.#discard(serverId, operationId));
  }

  async #discard(serverId: string, operationId: string): Promise<void> {
    // in memory first, on disk last: a full disk may lack space until then
    this.#ending.add(operationId);
    try {
      const entry = this.#running.get(serverId);
      if (entry?.operationId === operationId) {
        entry.abort.abort(transferDiscardedError());
        await entry.result.catch(() => undefined);
      }
      const removals = [await this.#takeBack(serverId, operationId), await detachStaging(this.#deps, operationId)];
      await this.#note(
        operationId,
        removals.filter((removal) => removal !== null),
      );
    } finally {
      this.#ending.delete(operationId);
    }
  }

  async #takeBack(serverId: string, operationId: string): Promise<Removal | null> {
    const { store, volumes, quotas, usage, volumeMutex } = this.#deps;
    return volumeMutex.run(serverId, async () => {
      const isOurs = (await findCommitted(this.#deps, serverId, operationId)) !== null;
      const removal = isOurs ? await volumes.detach(serverId) : null;
      if (isOurs) usage.forget(serverId);
      if ((await volumes.occupant(serverId)) === 'nothing') await quotas.release(serverId);
      if ((await store.readMark(serverId))?.operationId === operationId) await store.removeMark(serverId);
      return removal;
    });
  }

  /** On a full disk, after the removals. */
  async #note(operationId: string, removals: readonly Removal[]): Promise<void> {
    const { store, tasks } = this.#deps;
    const removing = Promise.all(
      removals.map(async (removal) => runAsTask(tasks, 'remove a discarded volume', removal)),
    );
    try {
      await store.setDiscarded(operationId);
    } catch (error) {
      if (!isErrno(error, 'ENOSPC', 'EDQUOT')) throw error;
      await removing;
      await store.setDiscarded(operationId);
    }
  }

  /** Discards its operation. */
  async onVolumeDeleted(serverId: string): Promise<void> {
    const { store, volumeMutex } = this.#deps;
    await volumeMutex.run(serverId, async () => {
      const mark = await store.readMark(serverId);
      // another volume may have arrived
      if (!mark || (await findCommitted(this.#deps, serverId, mark.operationId))) return;
      await store.setDiscarded(mark.operationId);
      await store.removeMark(serverId);
    });
  }

  async sweep(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    for (const { kind, id, changedAt } of await store.items()) {
      signal.throwIfAborted();
      const ageMs = clock().getTime() - changedAt;
      if (kind === 'discard' && ageMs > discardMaxAgeMs) await store.removeDiscarded(id);
      if (kind === 'operation' && ageMs > stagingMaxAgeMs && !this.#isRunning(id)) await removeStaging(this.#deps, id);
      if (kind === 'mark' && ageMs > stagingMaxAgeMs) await this.#sweepMark(id);
    }
  }

  async #sweepMark(serverId: string): Promise<void> {
    const { store, volumeMutex } = this.#deps;
    await volumeMutex.run(serverId, async () => {
      const mark = await store.readMark(serverId);
      if (mark && !(await findCommitted(this.#deps, serverId, mark.operationId))) await store.removeMark(serverId);
    });
  }

  #isRunning(operationId: string, exceptFor = ''): boolean {
    return [...this.#running].some(([serverId, entry]) => entry.operationId === operationId && serverId !== exceptFor);
  }

  #begin(request: PullRequest, before: Entry | undefined): Entry {
    const { tasks } = this.#deps;
    const abort = new AbortController();
    const progress: PullProgress = {
      phase: 'measuring',
      bytesDone: 0,
      bytesTotal: 0,
      entriesDone: 0,
      entriesTotal: 0,
      bytesVerified: 0,
    };
    const pull = async () => {
      // an aborted pull may still be writing
      await before?.result.catch(() => undefined);
      return pullVolume(this.#deps, request, progress, AbortSignal.any([abort.signal, tasks.signal]));
    };
    const result = pull().finally(() => {
      if (this.#running.get(request.serverId) === entry) this.#running.delete(request.serverId);
    });
    const entry: Entry = { operationId: request.operationId, progress, abort, result, listeners: 0 };
    this.#running.set(request.serverId, entry);
    // shutdown waits for it; callers receive its error
    tasks.run('receive a volume', async () => void (await result.catch(() => undefined)));
    return entry;
  }
}
