import { fail } from '../reasons.js';

/** Which backups are read in this process, so that none is deleted under its reader. */
export class BackupReaders {
  readonly #counts = new Map<string, number>();
  readonly #deleting = new Set<string>();

  /** Begin to read a backup; the returned function ends it. Throws BACKUP_NOT_FOUND while it is being deleted. */
  enter(id: string): () => void {
    if (this.#deleting.has(id)) throw backupNotFound();
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const rest = (this.#counts.get(id) ?? 1) - 1;
      if (rest > 0) this.#counts.set(id, rest);
      else this.#counts.delete(id);
    };
  }

  /** Run a deletion that no reader sees. Throws BACKUP_IN_USE. */
  async exclude<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#counts.has(id)) throw fail('BACKUP_IN_USE', 'the backup is being downloaded or restored');
    this.#deleting.add(id);
    try {
      return await work();
    } finally {
      this.#deleting.delete(id);
    }
  }
}

export function backupNotFound() {
  return fail('BACKUP_NOT_FOUND', 'there is no such backup');
}
