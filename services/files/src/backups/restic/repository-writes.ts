/** The lease of a node that alone writes to a repository. */
export interface WriteLease {
  readonly signal: AbortSignal;
  /** False once another node may have written: then nothing is to be removed any more. */
  readonly isHeld: () => boolean;
}

/**
 * Lets one node at a time write to the repository of a server: the node that a server has left may still remove a backup there
 * on which a new one builds. restic's own locks do not help, since those of killed processes are ignored.
 */
export interface RepositoryWrites {
  /**
   * Run work that writes; the signal of its lease is aborted before another node may write. Throws STORAGE_UNAVAILABLE when one still does
   * after `patienceMs`, and the reason of `signal`. The callers of one process take turns.
   */
  run<T>(
    serverId: string,
    options: { readonly signal: AbortSignal; readonly patienceMs: number },
    work: (lease: WriteLease) => Promise<T>,
  ): Promise<T>;
}
