import { fail } from '../reasons.js';

/** Backups being read in this process, which block their deletion. */
export class BackupReaders {
  readonly #counts = new Map<string, number>();
  readonly #deleting = new Set<string>();

  /** Starts a read; the returned function ends it. Throws BACKUP_NOT_FOUND during deletion. */
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

  /** Runs a deletion; blocks new readers. Throws BACKUP_IN_USE. */
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
