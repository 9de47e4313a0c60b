import { fail } from '../../reasons.js';
import type { BackupEntry } from './backup-storage.js';

/** Throws FILE_NOT_FOUND without an entry at or below the directory. */
export async function childrenOf(
  entries: AsyncIterable<BackupEntry>,
  directory: string,
  max: number,
): Promise<BackupEntry[]> {
  const prefix = directory === '' ? '' : `${directory}/`;
  const found: BackupEntry[] = [];
  let isThere = directory === '';
  for await (const entry of entries) {
    if (entry.path === directory && entry.kind === 'directory') isThere = true;
    if (!entry.path.startsWith(prefix)) continue;
    isThere = true;
    if (entry.path.indexOf('/', prefix.length) === -1 && found.length <= max) found.push(entry);
  }
  if (!isThere) throw fail('FILE_NOT_FOUND', 'the backup has no such directory');
  return found;
}
