import type { GetDataRootResponse, VolumeServiceService } from '@panel/protos/files';
import type { Client } from '@panel/rpc';
import { runtimeError } from '@panel/runtime';
import { clockOffsetMs } from '../domain/nodes/clock-offset.js';
import type { EpochStore } from '../models/nodes/epoch.js';

const freshMs = 5_000;
const askMs = 5_000;

type DataRootEpoch = Pick<GetDataRootResponse, 'dataRootId' | 'epoch'>;

/** What files services say of their data roots, and whether the database knows the changes to these. */
export class DataRoots {
  /** By address. */
  readonly #asked = new Map<string, { readonly found: Promise<GetDataRootResponse>; readonly at: number }>();
  /** By data root, at least as early as in the database. */
  readonly #known = new Map<string, number>();
  /** By address, of the last answer. */
  readonly #clockOffsets = new Map<string, number>();

  constructor(private readonly epochs: EpochStore) {}

  /** At most 5 s old. Throws SERVICE_UNAVAILABLE, DATA_ROOT_GONE. */
  async ask(address: string, volumes: Pick<Client<VolumeServiceService>, 'getDataRoot'>): Promise<GetDataRootResponse> {
    const known = this.#asked.get(address);
    if (known && performance.now() - known.at < freshMs) return known.found;
    return this.askAnew(address, volumes);
  }

  async askAnew(
    address: string,
    volumes: Pick<Client<VolumeServiceService>, 'getDataRoot'>,
  ): Promise<GetDataRootResponse> {
    const sentAt = Date.now();
    const found = volumes.getDataRoot({}, { timeoutMs: askMs }).then((answer) => {
      const { systemTime } = answer;
      if (systemTime) this.#clockOffsets.set(address, clockOffsetMs(systemTime, sentAt, Date.now()));
      return answer;
    });
    const asked = { found, at: performance.now() };
    this.#asked.set(address, asked);
    found.catch(() => {
      if (this.#asked.get(address) === asked) this.#asked.delete(address);
    });
    return found;
  }

  /** At the last answer; null: it does not say. */
  clockOffsetMs(address: string): number | null {
    return this.#clockOffsets.get(address) ?? null;
  }

  /** The files have changes that the database does not know: it was restored from an older dump. */
  async isDatabaseOlder({ dataRootId, epoch }: DataRootEpoch): Promise<boolean> {
    if (epoch <= (this.#known.get(dataRootId) ?? 0)) return false;
    const counted = await this.epochs.of(dataRootId);
    this.#known.set(dataRootId, counted);
    return epoch > counted;
  }

  /** Throws NODE_UNREACHABLE for another disk, and for changes that the database does not know. */
  async assertUsable(bound: string, found: DataRootEpoch): Promise<void> {
    assertBound(bound, found);
    if (!(await this.isDatabaseOlder(found))) return;
    const message =
      'the database is older than the files of this node: nothing is started or deleted before staff accept them';
    throw runtimeError('NODE_UNREACHABLE', message, { problem: 'data_root_newer' });
  }

  /** Counts a change to which servers have files there. */
  async nextEpoch(dataRootId: string): Promise<number> {
    return this.epochs.next(dataRootId);
  }

  /** From now on the database counts. */
  async accept({ dataRootId, epoch }: DataRootEpoch): Promise<void> {
    await this.epochs.raise(dataRootId, epoch);
  }
}

/** Throws NODE_UNREACHABLE. */
export function assertBound(bound: string, { dataRootId }: Pick<DataRootEpoch, 'dataRootId'>): void {
  if (bound === dataRootId) return;
  const reason = `data root ${dataRootId} instead of ${bound}`;
  const message = 'the disk of this node is another one than its record says: is it mounted?';
  throw runtimeError('NODE_UNREACHABLE', message, { reason, problem: 'data_root_foreign' });
}
