import { fail } from '../reasons.js';
import { createConcurrencyLimiter, firstOf } from '@panel/kit/async';
import { freedByUnlink } from '../domain/disk-size.js';

/** Room that is being taken. Ends with `commit` or `release`, whichever comes first. */
export interface Reservation {
  /** Hold this much in total from now on. Throws DISK_LIMIT, and holds what it held, when the limit would be passed. */
  hold(bytes: number): void;
  /** The work is done: the volume has grown by this much, or shrunk. */
  commit(grownBytes: number): void;
  /** The work came to nothing. */
  release(): void;
}

interface UsageMeterOptions {
  readonly maxAgeMs: number;
  readonly patienceMs: number;
  readonly measure: (serverId: string) => Promise<number>;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
}

interface Reading {
  readonly bytes: number;
  /** When it becomes stale. */
  readonly until: number;
  /** When the measurement began, by the clock of the file system. */
  readonly startedAtMs: number;
}

/** Of stat(2). */
interface RemovedFile {
  readonly blocks: bigint;
  readonly nlink: bigint;
  readonly ctimeMs: bigint;
}

/** A volume that takes long to measure is measured less often: at most a fifth of the time. */
const restFactor = 4;
/** Times of files are those of the last tick of the kernel. */
const clockTickMs = 20;
/** Measurements at the same time; more would only make each slower. */
const maxMeasurements = 2;

/**
 * Disk usage of the volumes of this node, and the room that writers have reserved. Both live in the process: a node has one,
 * and a restart costs one walk per server. A measurement continues when its caller has given up, for the next one.
 */
export class UsageMeter {
  readonly #options: UsageMeterOptions;
  readonly #monotonicMs: () => number;
  readonly #readings = new Map<string, Reading>();
  readonly #measurements = new Map<string, Promise<number>>();
  readonly #held = new Map<string, number>();
  readonly #limiter = createConcurrencyLimiter({ concurrency: maxMeasurements });

  constructor(options: UsageMeterOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  /**
   * Bytes on disk, measured at most `maxAgeMs` ago. Where measuring takes longer than `patienceMs`, the last reading,
   * however old; without any, this waits. Concurrent callers share one measurement.
   */
  async read(serverId: string): Promise<number> {
    const reading = this.#readings.get(serverId);
    if (reading && this.#monotonicMs() < reading.until) return reading.bytes;
    const measurement = this.#measurements.get(serverId) ?? this.#measure(serverId);
    this.#measurements.set(serverId, measurement);
    return reading ? firstOf(measurement, this.#options.patienceMs, reading.bytes) : measurement;
  }

  /** Whether it has been measured in this process. */
  isKnown(serverId: string): boolean {
    return this.#readings.has(serverId);
  }

  /** As `read`, or null when that takes too long. */
  async readWithin(serverId: string, patienceMs: number): Promise<number | null> {
    return firstOf(this.read(serverId), patienceMs, null);
  }

  /** Bytes on disk, measured from now on. Concurrent callers share one measurement. */
  async readFresh(serverId: string): Promise<number> {
    const measurement = this.#measurements.get(serverId) ?? this.#measure(serverId);
    this.#measurements.set(serverId, measurement);
    return measurement;
  }

  /** Measure again at the next read: something large has been removed. */
  expire(serverId: string): void {
    const reading = this.#readings.get(serverId);
    if (reading) this.#readings.set(serverId, { ...reading, until: -Infinity });
  }

  /**
   * A file was replaced. False when it had changed since the last measurement, so that the part of it that was counted is unknown:
   * then all of it stays counted until the next one.
   */
  free(serverId: string, file: RemovedFile): boolean {
    const reading = this.#readings.get(serverId);
    if (!reading) return true;
    if (Number(file.ctimeMs) + clockTickMs >= reading.startedAtMs) return false;
    this.#grow(serverId, -freedByUnlink(file));
    return true;
  }

  /** The volume was deleted. */
  forget(serverId: string): void {
    this.#readings.delete(serverId);
  }

  /** Begin to take room on a volume with this limit (0: none). */
  async reserve(serverId: string, limitBytes: number): Promise<Reservation> {
    const measured = limitBytes > 0 ? await this.read(serverId) : 0;
    const used = () => this.#readings.get(serverId)?.bytes ?? measured;
    let own = 0;
    const change = (bytes: number) => {
      this.#addHeld(serverId, bytes - own);
      own = bytes;
    };
    return {
      hold: (bytes) => {
        // no await between check and change: two writers cannot both get the last byte
        const wanted = used() + (this.#held.get(serverId) ?? 0) - own + bytes;
        if (limitBytes > 0 && bytes > own && wanted > limitBytes) {
          throw fail('DISK_LIMIT', "the server's disk limit is reached", { disk_limit: limitBytes });
        }
        change(bytes);
      },
      commit: (grownBytes) => {
        change(0);
        this.#grow(serverId, grownBytes);
      },
      release: () => change(0),
    };
  }

  async #measure(serverId: string): Promise<number> {
    try {
      return await this.#limiter.run(async () => {
        const startedAt = this.#monotonicMs();
        const startedAtMs = Date.now();
        const bytes = await this.#options.measure(serverId);
        const maxAgeMs = Math.max(this.#options.maxAgeMs, (this.#monotonicMs() - startedAt) * restFactor);
        this.#readings.set(serverId, { bytes, until: this.#monotonicMs() + maxAgeMs, startedAtMs });
        return bytes;
      });
    } catch (error) {
      this.#readings.delete(serverId);
      throw error;
    } finally {
      this.#measurements.delete(serverId);
    }
  }

  #addHeld(serverId: string, bytes: number): void {
    const total = (this.#held.get(serverId) ?? 0) + bytes;
    if (total > 0) this.#held.set(serverId, total);
    else this.#held.delete(serverId);
  }

  #grow(serverId: string, bytes: number): void {
    const reading = this.#readings.get(serverId);
    if (reading) this.#readings.set(serverId, { ...reading, bytes: Math.max(0, reading.bytes + bytes) });
  }
}
