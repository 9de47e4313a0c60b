import { createLimiter } from './limiter.js';

/** Knows how much the volumes of this node take. */
export interface UsageMeter {
  /** Bytes on disk, measured at most `maxAgeMs` ago. Callers at the same time share one measurement. */
  read(serverId: string): Promise<number>;
  forget(serverId: string): void;
}

interface Reading {
  readonly bytes: number;
  readonly takenAt: number;
}

/** Measurements at the same time; more would only make each slower. */
const maxMeasurements = 2;

/**
 * Readings live in the process: there is one files service on a node, and a restart costs one walk per server. A
 * measurement goes on when its caller has given up, so that the next one finds it done.
 */
export function createUsageMeter(options: {
  readonly maxAgeMs: number;
  readonly measure: (serverId: string) => Promise<number>;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}): UsageMeter {
  const now = options.now ?? (() => performance.now());
  const readings = new Map<string, Reading>();
  const underWay = new Map<string, Promise<number>>();
  const limit = createLimiter(maxMeasurements);
  const measure = async (serverId: string) => {
    try {
      const bytes = await limit(async () => options.measure(serverId));
      readings.set(serverId, { bytes, takenAt: now() });
      return bytes;
    } catch (error) {
      readings.delete(serverId);
      throw error;
    } finally {
      underWay.delete(serverId);
    }
  };
  return {
    read: async (serverId) => {
      const reading = readings.get(serverId);
      if (reading && now() - reading.takenAt < options.maxAgeMs) return reading.bytes;
      const measurement = underWay.get(serverId) ?? measure(serverId);
      underWay.set(serverId, measurement);
      return measurement;
    },
    forget: (serverId) => void readings.delete(serverId),
  };
}
