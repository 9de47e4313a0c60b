import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';

/**
 * Names of files that are being written. They lie beside the file they will become, because only there a rename is sure to
 * be atomic (a volume may be a file system, or a quota, of its own).
 */
export interface Temporaries {
  /** A new name; it counts as being written until it is released. */
  take(): Buffer;
  release(name: Buffer): void;
  /** Whether a file of this name is one of these, whoever wrote it. */
  isOurs(name: Buffer): boolean;
  /** Whether this process is writing a file of this name. */
  isActive(name: Buffer): boolean;
  /** Whether this is what a process left behind that died while it wrote. */
  isLeftover(name: Buffer, stats: BigIntStats, now: number): boolean;
}

const pattern = /^\.panel-[0-9a-f-]{36}\.part$/;
/** No upload takes longer. */
const leftoverAgeMs = 24 * 3_600_000;

export function createTemporaries(): Temporaries {
  const active = new Set<string>();
  return {
    take: () => {
      const name = `.panel-${randomUUID()}.part`;
      active.add(name);
      return Buffer.from(name);
    },
    release: (name) => void active.delete(name.toString()),
    isOurs: (name) => pattern.test(name.toString('latin1')),
    isActive: (name) => active.has(name.toString()),
    isLeftover: (name, stats, now) =>
      stats.isFile() &&
      pattern.test(name.toString('latin1')) &&
      !active.has(name.toString()) &&
      now - Number(stats.mtimeMs) > leftoverAgeMs,
  };
}
