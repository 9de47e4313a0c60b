import { statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Fills a file's disk to the last page by growing the file. */
export function fillDisk(file: string): void {
  for (const size of [1024 * 1024, 4096]) {
    const { bavail, bsize } = statfsSync(path.dirname(file));
    for (let left = bavail * bsize; left > 0; left -= size) {
      try {
        writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        break;
      }
    }
  }
}
