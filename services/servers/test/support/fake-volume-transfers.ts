import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { AppError } from '@panel/kit/errors';
import { type CallContext, createExportGrantSigner } from '@panel/rpc';
import {
  type AdvanceEpochRequest,
  type FreezeVolumeRequest,
  type ReceiveVolumeRequest,
  ReceiveVolumeResponse,
  ReceiveVolumeResponse_Phase,
  type ThawVolumeRequest,
} from '@panel/protos/files';
import path from 'node:path';

type Point = 'copy' | 'commit' | 'verify';

/** All fakes of this process by address: a copy reads the other's directory. */
const byAddress = new Map<string, FakeVolumeTransfers>();

/** Volume moves by the contract of VolumeService, with stop points. */
export class FakeVolumeTransfers {
  freeBytes = 1024 ** 4;
  /** Another one: another disk. */
  dataRootId = randomUUID();
  epoch = 0;

  /** By one that is empty. */
  replaceDisk(): void {
    this.dataRootId = randomUUID();
    this.epoch = 0;
  }

  /** In order. */
  readonly asked: string[] = [];
  readonly discarded = new Set<string>();
  /** Freezing operations by server. */
  readonly frozen = new Map<string, Set<string>>();
  /** A deleted id ends its freeze. */
  readonly freezes = new Map<string, string>();
  clockOffsetMs = 0;
  readonly #committed = new Map<string, string>();
  readonly #gates = new Map<Point, { readonly opened: Promise<void>; readonly open: () => void; reach: () => void }>();

  constructor(
    private readonly directory: string,
    private readonly secret: string,
    private readonly isDown: () => boolean,
  ) {}

  publish(address: string): void {
    byAddress.set(address, this);
  }

  volume(serverId: string): string {
    return path.join(this.directory, 'servers', serverId);
  }

  /** Makes calls wait at a point until `open`; `reached` resolves at the first. */
  stopAt(point: Point): { readonly reached: Promise<void>; readonly open: () => void } {
    let open = () => {};
    let reach = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const reached = new Promise<void>((resolve) => (reach = resolve));
    this.#gates.set(point, { opened, open, reach });
    return {
      reached,
      open: () => {
        this.#gates.delete(point);
        open();
      },
    };
  }

  /** Empty: as in a container. */
  hostName = '';
  addresses: string[] = [];

  /** Between copy and commit. */
  onCopied: (serverId: string) => void = () => undefined;

  /** Before a digest's response. */
  onVerified: (serverId: string) => void = () => undefined;

  handlers() {
    return {
      getDataRoot: async () =>
        this.#up(() => {
          const { freeBytes, dataRootId, epoch, hostName, addresses } = this;
          const systemTime = new Date(Date.now() + this.clockOffsetMs);
          return { freeBytes, totalBytes: freeBytes, dataRootId, epoch, hostName, addresses, systemTime };
        }),
      advanceEpoch: async ({ epoch, dataRootId }: AdvanceEpochRequest) =>
        this.#up(() => {
          if (dataRootId !== this.dataRootId) throw new AppError('unavailable', 'DATA_ROOT_GONE', 'another one');
          this.epoch = Math.max(this.epoch, epoch);
          return {};
        }),
      receiveVolume: (request: ReceiveVolumeRequest, { signal }: CallContext) => this.#receive(request, signal),
      discardVolumeTransfer: async ({ serverId, operationId }: { serverId: string; operationId: string }) =>
        this.#up(() => {
          this.discarded.add(operationId);
          rmSync(this.#staging(operationId), { recursive: true, force: true });
          if (this.#committed.get(serverId) !== operationId) return {};
          rmSync(this.volume(serverId), { recursive: true, force: true });
          this.#committed.delete(serverId);
          return {};
        }),
      freezeVolume: async ({ serverId, operationId, freezeId }: FreezeVolumeRequest) =>
        this.#up(() => {
          const now = this.freezes.get(operationId);
          if (freezeId !== '' && now !== freezeId) throw new AppError('aborted', 'VOLUME_THAWED', 'it has ended');
          this.freezes.set(operationId, now ?? randomUUID());
          this.frozen.set(serverId, (this.frozen.get(serverId) ?? new Set()).add(operationId));
          return { freezeId: this.freezes.get(operationId) };
        }),
      thawVolume: async ({ serverId, operationId }: ThawVolumeRequest) =>
        this.#up(() => {
          this.freezes.delete(operationId);
          this.frozen.get(serverId)?.delete(operationId);
          return {};
        }),
      verifyVolume: async ({ serverId }: { serverId: string }, { signal }: CallContext) => {
        this.#up(() => undefined);
        await this.#gate('verify', signal);
        const treeSha256 = digestOf(this.volume(serverId));
        this.onVerified(serverId);
        return { bytes: 0, entries: 0, treeSha256 };
      },
    };
  }

  async *#receive(request: ReceiveVolumeRequest, signal: AbortSignal): AsyncGenerator<ReceiveVolumeResponse> {
    const { serverId, operationId, sourceAddress, grant } = request;
    this.#up(() => undefined);
    const named = createExportGrantSigner(this.secret).verify(grant);
    if (named.serverId !== serverId || named.operationId !== operationId) throw refused('GRANT_INSUFFICIENT');
    this.asked.push(operationId);
    if (this.discarded.has(operationId)) throw refused('TRANSFER_DISCARDED');
    if (this.#committed.get(serverId) !== operationId) {
      const source = byAddress.get(sourceAddress);
      if (!source || source.isDown()) throw away('SOURCE_UNAVAILABLE');
      if (!existsSync(source.volume(serverId))) throw new AppError('not_found', 'VOLUME_NOT_FOUND', 'there is none');
      yield progress(1, 100);
      await this.#gate('copy', signal);
      this.#up(() => undefined);
      if (source.isDown()) throw away('SOURCE_UNAVAILABLE');
      for (let done = 10; done <= 90; done += 40) yield progress(done, 100);
      this.#copy(source.volume(serverId), operationId);
      source.onCopied(serverId);
      await this.#gate('commit', signal);
      this.#commit(serverId, operationId);
    }
    const finished = { bytes: 100, entries: 1, skipped: 0, treeSha256: digestOf(this.volume(serverId)) };
    yield ReceiveVolumeResponse.create({ end: { $case: 'finished', value: finished } });
  }

  #copy(from: string, operationId: string): void {
    rmSync(this.#staging(operationId), { recursive: true, force: true });
    for (const name of filesOf(from)) {
      const to = path.join(this.#staging(operationId), name);
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, readFileSync(path.join(from, name)));
    }
    mkdirSync(this.#staging(operationId), { recursive: true });
  }

  #commit(serverId: string, operationId: string): void {
    if (this.discarded.has(operationId)) throw refused('TRANSFER_DISCARDED');
    if (existsSync(this.volume(serverId))) throw new AppError('already_exists', 'VOLUME_EXISTS', 'there is one');
    mkdirSync(path.dirname(this.volume(serverId)), { recursive: true });
    renameSync(this.#staging(operationId), this.volume(serverId));
    this.#committed.set(serverId, operationId);
  }

  #staging(operationId: string): string {
    return path.join(this.directory, 'staging', operationId);
  }

  async #gate(point: Point, signal: AbortSignal): Promise<void> {
    const gate = this.#gates.get(point);
    if (!gate) return;
    gate.reach();
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    await Promise.race([gate.opened, aborted]);
  }

  #up<T>(work: () => T): T {
    if (this.isDown()) throw away('SERVICE_UNAVAILABLE');
    return work();
  }
}

function progress(bytesDone: number, bytesTotal: number): ReceiveVolumeResponse {
  return ReceiveVolumeResponse.create({ bytesDone, bytesTotal, phase: ReceiveVolumeResponse_Phase.COPYING });
}

function refused(reason: string): AppError {
  return new AppError('failed_precondition', reason, 'refused');
}

function away(reason: string): AppError {
  return new AppError('unavailable', reason, 'the files service is away');
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

function digestOf(directory: string): string {
  const hash = createHash('sha256');
  for (const name of filesOf(directory)) hash.update(`${name}\0`).update(readFileSync(path.join(directory, name)));
  return hash.digest('hex');
}
