import { fail } from '../reasons.js';
import { createLimiter } from './limiter.js';

/** Knows how much the volumes of this node take, and who is about to take more. */
export interface UsageMeter {
  /**
   * Bytes on disk, measured at most `maxAgeMs` ago. Where measuring takes longer than `patienceMs`, the last reading,
   * however old; where there is none yet, this waits. Callers at the same time share one measurement.
   */
  read(serverId: string): Promise<number>;
  /** Measure again at the next question: something large has gone. */
  expire(serverId: string): void;
  /** The volume is gone. */
  forget(serverId: string): void;
  /** Begin to take room on a volume with this limit (0: none). */
  reserve(serverId: string, limitBytes: number): Promise<Reservation>;
}

/** Room that is being taken. Ends with `settle` or `release`, whichever comes first. */
export interface Reservation {
  /** Hold this much in total from now on. Throws DISK_LIMIT, and holds what it held, when the limit would be passed. */
  hold(bytes: number): void;
  /** The work is done: the volume has grown by this much, or shrunk. */
  settle(grownBytes: number): void;
  /** The work came to nothing. */
  release(): void;
}

interface Reading {
  readonly bytes: number;
  /** When it counts as old. */
  readonly until: number;
}

/** A volume that takes long to measure is measured less often: at most a fifth of the time. */
const restFactor = 4;

/** Measurements at the same time; more would only make each slower. */
const maxMeasurements = 2;

/**
 * Readings and reservations live in the process: there is one files service on a node, and a restart costs one walk per
 * server. A measurement goes on when its caller has given up, so that the next one finds it done.
 */
export function createUsageMeter(options: {
  readonly maxAgeMs: number;
  readonly patienceMs: number;
  readonly measure: (serverId: string) => Promise<number>;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}): UsageMeter {
  const now = options.now ?? (() => performance.now());
  const readings = new Map<string, Reading>();
  const underWay = new Map<string, Promise<number>>();
  const held = new Map<string, number>();
  const limit = createLimiter(maxMeasurements);
  const measure = async (serverId: string) => {
    try {
      const bytes = await limit(async () => {
        const begin = now();
        const measured = await options.measure(serverId);
        const maxAgeMs = Math.max(options.maxAgeMs, (now() - begin) * restFactor);
        readings.set(serverId, { bytes: measured, until: now() + maxAgeMs });
        return measured;
      });
      return bytes;
    } catch (error) {
      readings.delete(serverId);
      throw error;
    } finally {
      underWay.delete(serverId);
    }
  };
  const read = async (serverId: string) => {
    const reading = readings.get(serverId);
    if (reading && now() < reading.until) return reading.bytes;
    const measurement = underWay.get(serverId) ?? measure(serverId);
    underWay.set(serverId, measurement);
    return reading ? firstOf(measurement, options.patienceMs, reading.bytes) : measurement;
  };
  const addHeld = (serverId: string, bytes: number) => {
    const total = (held.get(serverId) ?? 0) + bytes;
    if (total > 0) held.set(serverId, total);
    else held.delete(serverId);
  };
  const grow = (serverId: string, bytes: number) => {
    const reading = readings.get(serverId);
    if (reading) readings.set(serverId, { ...reading, bytes: Math.max(0, reading.bytes + bytes) });
  };
  return {
    read,
    expire: (serverId) => {
      const reading = readings.get(serverId);
      if (reading) readings.set(serverId, { ...reading, until: -Infinity });
    },
    forget: (serverId) => void readings.delete(serverId),
    reserve: async (serverId, limitBytes) => {
      const measured = limitBytes > 0 ? await read(serverId) : 0;
      const used = () => readings.get(serverId)?.bytes ?? measured;
      let own = 0;
      const change = (bytes: number) => {
        addHeld(serverId, bytes - own);
        own = bytes;
      };
      return {
        hold: (bytes) => {
          // no await between the question and the answer: two writers cannot both get the last byte
          const wanted = used() + (held.get(serverId) ?? 0) - own + bytes;
          if (limitBytes > 0 && bytes > own && wanted > limitBytes) {
            throw fail('DISK_LIMIT', "the server's disk limit is reached", { disk_limit: limitBytes });
          }
          change(bytes);
        },
        settle: (grownBytes) => {
          change(0);
          grow(serverId, grownBytes);
        },
        release: () => change(0),
      };
    },
  };
}

/** The value of a promise, or `otherwise` when that takes too long; the promise goes on. */
async function firstOf<T>(promise: Promise<T>, patienceMs: number, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
