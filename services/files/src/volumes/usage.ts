import { fail } from '../reasons.js';
import { firstOf } from '@panel/kit/async';
import { TurnQueue } from '@panel/kit/threads';
import { freedByUnlink } from '../domain/disk-size.js';

/** Ends with `commit` or `release`. */
export interface Reservation {
  /** Sets the total. Throws DISK_LIMIT, keeping the old total. */
  hold(bytes: number): void;
  /** Final growth; negative: shrinkage. */
  commit(grownBytes: number): void;
  /** For failed work. */
  release(): void;
}

interface UsageMeterOptions {
  readonly maxAgeMs: number;
  readonly patienceMs: number;
  /** Calls `pass` often: others go first when it takes long. */
  readonly measure: (serverId: string, pass: () => Promise<void>) => Promise<number>;
  /** Monotonic. */
  readonly monotonicMs?: () => number;
}

interface Reading {
  readonly bytes: number;
  /** Expiry. */
  readonly until: number;
  /** Start by the file system's clock. */
  readonly startedAtMs: number;
}

/** Of stat(2). */
interface RemovedFile {
  readonly blocks: bigint;
  readonly nlink: bigint;
  readonly ctimeMs: bigint;
}

/** Rest per measuring time: slow volumes are measured at most a fifth of the time. */
const restFactor = 4;
/** The kernel's granularity of file times. */
const clockTickMs = 20;
/** More would slow each other. */
const maxMeasurements = 2;
/** Measurements of one owner at a time: a place is left for the volumes of others. */
const maxOfOwner = 1;
/** Then one of another owner goes first: large volumes of a few owners hold no place. */
const passAfterMs = 1_000;
/** Measurements continue without callers. */
const never = new AbortController().signal;

/**
 * Usage and reservations, in memory: a node has one process, and a restart costs one walk per server. Measurements
 * continue without callers, and owners take turns, also in the middle of large volumes. At most one measurement per
 * volume runs or waits. Without `ownerId` a server takes turns as an owner.
 */
export class UsageMeter {
  readonly #options: UsageMeterOptions;
  readonly #monotonicMs: () => number;
  readonly #readings = new Map<string, Reading>();
  readonly #measurements = new Map<string, Promise<number>>();
  readonly #held = new Map<string, number>();
  readonly #turns = new TurnQueue({ concurrency: maxMeasurements, perKey: maxOfOwner });

  constructor(options: UsageMeterOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  /**
   * At most `maxAgeMs` old. If measuring exceeds `patienceMs`, the last reading; waits without one. Callers share
   * measurements.
   */
  async read(serverId: string, ownerId = serverId): Promise<number> {
    const reading = this.#readings.get(serverId);
    if (reading && this.#monotonicMs() < reading.until) return reading.bytes;
    const measurement = this.#share(serverId, ownerId);
    return reading ? firstOf(measurement, this.#options.patienceMs, reading.bytes) : measurement;
  }

  /** Measured in this process. */
  isKnown(serverId: string): boolean {
    return this.#readings.has(serverId);
  }

  /** As `read`; null on timeout. */
  async readWithin(serverId: string, patienceMs: number, ownerId = serverId): Promise<number | null> {
    return firstOf(this.read(serverId, ownerId), patienceMs, null);
  }

  /** Callers share measurements. */
  async readFresh(serverId: string, ownerId = serverId): Promise<number> {
    return this.#share(serverId, ownerId);
  }

  /** Forces a measurement at the next read, after a large removal. */
  expire(serverId: string): void {
    const reading = this.#readings.get(serverId);
    if (reading) this.#readings.set(serverId, { ...reading, until: -Infinity });
  }

  /**
   * For a replaced file. False if it changed since the measurement: its counted part is unknown and stays until the
   * next one.
   */
  free(serverId: string, file: RemovedFile): boolean {
    const reading = this.#readings.get(serverId);
    if (!reading) return true;
    if (Number(file.ctimeMs) + clockTickMs >= reading.startedAtMs) return false;
    this.#grow(serverId, -freedByUnlink(file));
    return true;
  }

  /** For a deleted volume. */
  forget(serverId: string): void {
    this.#readings.delete(serverId);
  }

  /** `limitBytes` 0: unlimited. */
  async reserve(serverId: string, limitBytes: number, ownerId = serverId): Promise<Reservation> {
    const measured = limitBytes > 0 ? await this.read(serverId, ownerId) : 0;
    const used = () => this.#readings.get(serverId)?.bytes ?? measured;
    let own = 0;
    const change = (bytes: number) => {
      this.#addHeld(serverId, bytes - own);
      own = bytes;
    };
    return {
      hold: (bytes) => {
        // no await between check and change: prevents double use of the last bytes
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

  async #share(serverId: string, ownerId: string): Promise<number> {
    const measurement = this.#measurements.get(serverId) ?? this.#measure(serverId, ownerId);
    this.#measurements.set(serverId, measurement);
    return measurement;
  }

  async #measure(serverId: string, ownerId: string): Promise<number> {
    try {
      const free = await this.#turns.take(ownerId, never);
      try {
        return await this.#measureNow(serverId, ownerId);
      } finally {
        free();
      }
    } catch (error) {
      this.#readings.delete(serverId);
      throw error;
    } finally {
      this.#measurements.delete(serverId);
    }
  }

  async #measureNow(serverId: string, ownerId: string): Promise<number> {
    let startedAt = this.#monotonicMs();
    const startedAtMs = Date.now();
    let workedMs = 0;
    const bytes = await this.#options.measure(serverId, async () => {
      const sinceMs = this.#monotonicMs() - startedAt;
      if (sinceMs < passAfterMs) return;
      workedMs += sinceMs;
      await this.#turns.pass(ownerId, never);
      startedAt = this.#monotonicMs();
    });
    workedMs += this.#monotonicMs() - startedAt;
    const maxAgeMs = Math.max(this.#options.maxAgeMs, workedMs * restFactor);
    this.#readings.set(serverId, { bytes, until: this.#monotonicMs() + maxAgeMs, startedAtMs });
    return bytes;
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
