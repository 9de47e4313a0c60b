import type { FileHandle } from 'node:fs/promises';
import type { BackupSource } from '../../src/backups/backup-storage.js';
import { scanTree } from '../../src/backups/scan-tree.js';
import { TempNames } from '../../src/jail/temp-names.js';

/** The scan of a volume that a storage is given. */
export function scanning(root: FileHandle, patterns: readonly string[] = []): BackupSource['scan'] {
  const tempNames = new TempNames(new Date());
  return async (visitor) => scanTree(root, patterns, { tempNames, signal: new AbortController().signal, visitor });
}
