import { randomUUID } from 'node:crypto';
import { firstOf, pause } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import type { Logger, TaskGroup } from '@panel/kit/process';
import type { FileOperation, OperationKind } from '../domain/file-operation.js';
import type { FileOperationStore, OperationChange } from '../models/file-operation-store.js';
import { fail } from '../reasons.js';

export interface OperationProgress {
  readonly signal: AbortSignal;
  path: string;
  bytesDone: number;
  bytesTotal: number;
  entriesDone: number;
  entriesSkipped: number;
}

interface OperationRequest {
  readonly serverId: string;
  /** Absent: none to share places with. */
  readonly ownerId?: string | undefined;
  readonly kind: OperationKind;
  /** Calls with the same id share an operation. */
  readonly idempotencyId?: string | undefined;
  readonly run: (progress: OperationProgress) => Promise<void>;
}

interface RunningOperation {
  readonly serverId: string;
  readonly ownerId: string | undefined;
  readonly kind: OperationKind;
  readonly abort: AbortController;
  readonly progress: OperationProgress;
  /** Rejects like the work. */
  readonly result: Promise<void>;
}

interface FileOperationsOptions {
  readonly store: FileOperationStore;
  readonly tasks: TaskGroup;
  readonly clock: () => Date;
  readonly nodeId: string;
  readonly log: Logger;
}

const maxPerServer = 2;
/** Of each group: a customer with many servers leaves places to others. */
const maxPerOwner = 4;
const maxPerNode = 16;
/** A cancelled operation that ends later is shown as running until then. */
const cancelWaitMs = 5_000;
const saveIntervalMs = 1_000;
const maxMessageLength = 300;
const retryIntervalMs = 2_000;

/** Run in this process, without callers too; after a crash the node's next process fails them. */
export class FileOperations {
  readonly #options: FileOperationsOptions;
  readonly #running = new Map<string, RunningOperation>();

  constructor(options: FileOperationsOptions) {
    this.#options = options;
  }

  async recover(): Promise<void> {
    await this.#options.store.failInterrupted(this.#options.nodeId, this.#options.clock());
  }

  /** Returns the record after its end or `waitMs`; rejects on a failure within that time. Throws OPERATION_LIMIT. */
  async start(request: OperationRequest, waitMs: number): Promise<FileOperation> {
    const id = request.idempotencyId ?? randomUUID();
    if (!this.#running.has(id)) {
      this.#requirePlace(request);
      const entry = this.#prepare(request);
      this.#running.set(id, entry.running);
      try {
        if (await this.#options.store.insert(this.#initialRecord(id, request))) entry.begin(id);
        else this.#running.delete(id);
      } catch (error) {
        this.#running.delete(id);
        throw error;
      }
    }
    return this.wait(request.serverId, id, waitMs);
  }

  /** Returns the record after its end, or after `waitMs`. Throws OPERATION_NOT_FOUND. */
  async wait(serverId: string, id: string, waitMs: number): Promise<FileOperation> {
    const running = this.#running.get(id);
    if (running && waitMs > 0) await firstOf(running.result, waitMs, undefined);
    const record = await this.#options.store.find(serverId, id);
    if (!record) throw fail('OPERATION_NOT_FOUND', 'there is no such operation');
    const progress = record.state === 'running' ? this.#running.get(id)?.progress : undefined;
    return progress ? { ...record, ...countsOf(progress) } : record;
  }

  async list(serverId: string): Promise<FileOperation[]> {
    const records = await this.#options.store.list(serverId);
    return records.map((record) => {
      const progress = record.state === 'running' ? this.#running.get(record.id)?.progress : undefined;
      return progress ? { ...record, ...countsOf(progress) } : record;
    });
  }

  /** Waits a few seconds for the end; no effect after it. Throws OPERATION_NOT_FOUND. */
  async cancel(serverId: string, id: string): Promise<FileOperation> {
    const running = this.#running.get(id);
    if (running?.serverId === serverId) {
      running.abort.abort(fail('OPERATION_CANCELLED', 'the operation was cancelled'));
      const ended = running.result.catch(() => undefined);
      await firstOf(ended, cancelWaitMs, undefined);
    }
    return this.wait(serverId, id, 0);
  }

  /** Pulls are a group of their own: an idle remote server keeps one for long. */
  #requirePlace({ serverId, ownerId, kind }: OperationRequest): void {
    const running = [...this.#running.values()];
    const ofGroup = running.filter((entry) => (entry.kind === 'pull') === (kind === 'pull'));
    const counts: readonly (readonly [whose: string, count: number, limit: number])[] = [
      ['this server', running.filter((entry) => entry.serverId === serverId).length, maxPerServer],
      [
        "the owner's servers",
        ofGroup.filter((entry) => ownerId !== undefined && entry.ownerId === ownerId).length,
        maxPerOwner,
      ],
      ['the node', ofGroup.length, maxPerNode],
    ];
    for (const [whose, count, limit] of counts) {
      if (count < limit) continue;
      const message = `${whose} may run ${limit} file operations at a time: wait for one to end`;
      throw fail('OPERATION_LIMIT', message, { limit });
    }
  }

  #prepare({ serverId, ownerId, kind, run }: OperationRequest) {
    const { tasks } = this.#options;
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, tasks.signal]);
    const progress: OperationProgress = {
      signal,
      path: '',
      bytesDone: 0,
      bytesTotal: 0,
      entriesDone: 0,
      entriesSkipped: 0,
    };
    let begin: (id: string) => void = () => undefined;
    const started = new Promise<string>((resolve) => (begin = resolve));
    const result = started.then(async (id) => this.#run(id, progress, run));
    result.catch(() => undefined);
    return { running: { serverId, ownerId, kind, abort, progress, result }, begin };
  }

  async #run(id: string, progress: OperationProgress, run: OperationRequest['run']): Promise<void> {
    const { store, tasks, clock } = this.#options;
    const saver = setInterval(
      () => tasks.run('save operation progress', async () => store.update(id, countsOf(progress))),
      saveIntervalMs,
    );
    try {
      const failure = await run(progress).then(
        () => null,
        (cause: unknown) => ({ cause }),
      );
      const outcome = failure ? this.#failureOf(id, failure.cause) : ({ state: 'completed' } as const);
      await this.#recordEnd(id, { ...countsOf(progress), ...outcome, endedAt: clock() });
      if (failure) throw failure.cause;
    } finally {
      clearInterval(saver);
      this.#running.delete(id);
    }
  }

  /** Retries: otherwise the operation would appear running forever. Throws on shutdown. */
  async #recordEnd(id: string, end: OperationChange): Promise<void> {
    const { store, tasks, log } = this.#options;
    for (;;) {
      try {
        await store.update(id, end);
        return;
      } catch (error) {
        if (tasks.signal.aborted) throw error;
        log.warn({ err: error, id }, 'the end of a file operation cannot be recorded yet');
        await pause(retryIntervalMs, tasks.signal);
      }
    }
  }

  #failureOf(id: string, error: unknown) {
    if (isAppError(error, 'OPERATION_CANCELLED')) return { state: 'cancelled' } as const;
    if (isAppError(error)) {
      const errorMessage = error.message.slice(0, maxMessageLength);
      return { state: 'failed', errorReason: error.reason, errorMessage } as const;
    }
    if (!this.#options.tasks.signal.aborted) this.#options.log.error({ err: error, id }, 'a file operation failed');
    return { state: 'failed', errorReason: 'INTERNAL', errorMessage: 'the operation failed' } as const;
  }

  #initialRecord(id: string, { serverId, kind }: OperationRequest): FileOperation {
    const { nodeId, clock } = this.#options;
    return {
      id,
      serverId,
      nodeId,
      kind,
      state: 'running',
      path: '',
      bytesDone: 0,
      bytesTotal: 0,
      entriesDone: 0,
      entriesSkipped: 0,
      errorReason: '',
      errorMessage: '',
      startedAt: clock(),
      endedAt: null,
    };
  }
}

function countsOf({ path, bytesDone, bytesTotal, entriesDone, entriesSkipped }: OperationProgress) {
  return { path, bytesDone, bytesTotal, entriesDone, entriesSkipped };
}
