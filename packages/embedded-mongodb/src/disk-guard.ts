import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';

/*
 * WiredTiger ends its whole process when a write to its journal or a checkpoint finds no space. So writes are refused while less
 * than a floor is free: what was accepted before still fits. When the engine ended all the same, because something else took the
 * rest, a file that was kept in reserve is removed, and gives its recovery the room to start: reads go on at least.
 */
const mb = 1024 * 1024;
const reserveMb = 32;
/** How long a reading of the disk holds: nothing writes the whole floor in this time. */
const maxAgeMs = 50;

export interface DiskGuard {
  /** Whether writes have to be refused now. */
  isFull(): boolean;
  /** Make room for the engine before it opens, when there is too little. */
  freeReserve(): void;
  /** Keep a reserve, where there is room for it. */
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
      const kept = statSync(reserve, { throwIfNoEntry: false })?.size ?? 0;
      if (minFreeMb === 0 || kept >= reserveMb * mb || freeMb() < minFreeMb + 2 * reserveMb) return;
      writeReserve(reserve);
    },
  };
}

/** A file whose blocks are there: one with holes would free nothing. */
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
