import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';

/*
 * WiredTiger ends its process when its journal or a checkpoint has no space. So writes are refused below a floor of
 * free space. After a crash for lack of space, deleting a reserve file lets recovery start, at least for reads.
 */
const mb = 1024 * 1024;
const reserveMb = 32;
/** Too short to write the whole floor. */
const maxAgeMs = 50;

export interface DiskGuard {
  isFull(): boolean;
  /** Before the engine opens. */
  freeReserve(): void;
  keepReserve(): void;
}

/** `minFreeMb` 0: never full. */
export function createDiskGuard(dataDir: string, minFreeMb: number, now = () => performance.now()): DiskGuard {
  const reserve = path.join(dataDir, 'reserve');
  const freeMb = (): number => {
    const { bavail, bsize } = statfsSync(dataDir);
    return (bavail * bsize) / mb;
  };
  let isLow = false;
  let readAt = -Infinity;
  const isFull = (): boolean => {
    if (minFreeMb === 0) return false;
    if (now() - readAt < maxAgeMs) return isLow;
    readAt = now();
    isLow = freeMb() < minFreeMb;
    return isLow;
  };
  return {
    isFull,
    freeReserve: () => {
      if (freeMb() < Math.max(minFreeMb, reserveMb)) rmSync(reserve, { force: true });
    },
    keepReserve: () => {
      const retained = statSync(reserve, { throwIfNoEntry: false })?.size ?? 0;
      if (minFreeMb === 0 || retained >= reserveMb * mb || freeMb() < minFreeMb + 2 * reserveMb) return;
      writeReserve(reserve);
    },
  };
}

/** Allocated blocks: a sparse file would free nothing. */
function writeReserve(file: string): void {
  const zeros = Buffer.alloc(mb);
  const fd = openSync(file, 'w', 0o600);
  try {
    for (let written = 0; written < reserveMb; written++) writeSync(fd, zeros);
    fsyncSync(fd);
  } catch (error) {
    rmSync(file, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(fd);
  }
}
