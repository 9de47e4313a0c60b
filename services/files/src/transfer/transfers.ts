import { AppError } from '@panel/kit';
import { createKeyedLock } from '../jail/keyed-lock.js';
import { fail } from '../reasons.js';
import {
  findCommitted,
  type Finished,
  type PullParts,
  type PullProgress,
  type PullRequest,
  pullVolume,
  removeStaging,
} from './pull.js';

/** A pull under way, or one that has ended just now. */
export interface RunningPull {
  readonly progress: Readonly<PullProgress>;
  readonly result: Promise<Finished>;
  /** Stop listening. When the last one leaves, the pull stops. */
  leave(): void;
}

interface Entry {
  readonly operationId: string;
  readonly progress: PullProgress;
  readonly abort: AbortController;
  readonly result: Promise<Finished>;
  listeners: number;
}

/** Kept for a transfer that is tried again; by then nobody does. */
const stagingMaxAgeMs = 7 * 24 * 3_600_000;
/** No late call is that late. */
const discardMaxAgeMs = 30 * 24 * 3_600_000;

/** The volumes that arrive on this node. There is one files service on a node, so what is under way is known in the process. */
export class Transfers {
  /** By server id. */
  readonly #running = new Map<string, Entry>();
  readonly #discards = createKeyedLock();

  constructor(private readonly parts: PullParts) {}

  /**
   * Receive a volume, together with whoever receives it already for the same operation; the caller leaves in the end.
   * Throws TRANSFER_UNDER_WAY for another operation; the result rejects as `pullVolume` does.
   */
  join(request: PullRequest): RunningPull {
    const before = this.#running.get(request.serverId);
    const isGoing = before !== undefined && !before.abort.signal.aborted;
    if (isGoing && before.operationId !== request.operationId) {
      throw fail('TRANSFER_UNDER_WAY', 'another transfer of this server is arriving');
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
        if (entry.listeners === 0) entry.abort.abort(new AppError('cancelled', 'CANCELLED', 'nobody waits any more'));
      },
    };
  }

  /** End an operation for good, and undo what it has done on this node. */
  async discard(serverId: string, operationId: string): Promise<void> {
    await this.#discards(operationId, async () => this.#discard(serverId, operationId));
  }

  async #discard(serverId: string, operationId: string): Promise<void> {
    const { store, volumes, usage, tasks, volumeLock } = this.parts;
    // first, so that a call that comes now, or has not looked yet, finds it
    await store.setDiscarded(operationId);
    const entry = this.#running.get(serverId);
    if (entry?.operationId === operationId) {
      entry.abort.abort(fail('TRANSFER_DISCARDED', 'this transfer was given up'));
      await entry.result.catch(() => undefined);
    }
    await volumeLock(serverId, async () => {
      if (await findCommitted(this.parts, serverId, operationId)) {
        const remove = await volumes.detach(serverId);
        usage.forget(serverId);
        if (remove) tasks.run('remove a volume', remove);
      }
      if ((await store.readMark(serverId))?.operationId === operationId) await store.removeMark(serverId);
    });
    await removeStaging(this.parts, operationId);
  }

  /** A server's volume has been taken away; the caller holds the lock. The operation that had brought it is over for good. */
  async volumeGone(serverId: string): Promise<void> {
    const { store } = this.parts;
    const mark = await store.readMark(serverId);
    if (!mark) return;
    await store.setDiscarded(mark.operationId);
    await store.removeMark(serverId);
  }

  /** Remove what nobody comes back for. */
  async sweep(signal: AbortSignal, now = Date.now()): Promise<void> {
    const { store } = this.parts;
    for (const { kind, id, changedAt } of await store.items()) {
      signal.throwIfAborted();
      const ageMs = now - changedAt;
      if (kind === 'discard' && ageMs > discardMaxAgeMs) await store.removeDiscarded(id);
      if (kind === 'operation' && ageMs > stagingMaxAgeMs && !this.#isRunning(id)) await removeStaging(this.parts, id);
      if (kind === 'mark' && ageMs > stagingMaxAgeMs) await this.#sweepMark(id);
    }
  }

  /** The volume it speaks of has gone, or never came. */
  async #sweepMark(serverId: string): Promise<void> {
    const { store, volumeLock } = this.parts;
    await volumeLock(serverId, async () => {
      const mark = await store.readMark(serverId);
      if (mark && !(await findCommitted(this.parts, serverId, mark.operationId))) await store.removeMark(serverId);
    });
  }

  #isRunning(operationId: string): boolean {
    return [...this.#running.values()].some((entry) => entry.operationId === operationId);
  }

  #begin(request: PullRequest, before: Entry | undefined): Entry {
    const { tasks } = this.parts;
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
      // one that was told to stop may still be writing its last file
      await before?.result.catch(() => undefined);
      return pullVolume(this.parts, request, progress, AbortSignal.any([abort.signal, tasks.signal]));
    };
    const result = pull().finally(() => {
      if (this.#running.get(request.serverId) === entry) this.#running.delete(request.serverId);
    });
    const entry: Entry = { operationId: request.operationId, progress, abort, result, listeners: 0 };
    this.#running.set(request.serverId, entry);
    // a stop waits for it; its callers hear how it ended
    tasks.run('receive a volume', async () => void (await result.catch(() => undefined)));
    return entry;
  }
}
