import type { FileHandle } from 'node:fs/promises';
import type { BackupSource } from '../../src/backups/storage/backup-storage.js';
import { scanTree } from '../../src/backups/storage/scan-tree.js';
import { TempNames } from '../../src/jail/temp-names.js';

/** Rejects a second scan, which would cost time. */
export function scanning(root: FileHandle, patterns: readonly string[] = []): BackupSource['scan'] {
  const tempNames = new TempNames(new Date());
  let hasBegun = false;
  return async (visitor) => {
    if (hasBegun) throw new Error('the volume was scanned twice');
    hasBegun = true;
    return scanTree(root, patterns, { tempNames, signal: new AbortController().signal, visitor });
  };
}
