import { fail } from '../reasons.js';

/** Backups in reading, which blocks their deletion. */
export class BackupReaders {
  readonly #counts = new Map<string, number>();
  readonly #deleting = new Set<string>();

  /** The returned function ends the read. Throws BACKUP_NOT_FOUND during deletion. */
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

  /** Blocks new readers. Throws BACKUP_IN_USE. */
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
