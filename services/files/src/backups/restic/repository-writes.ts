export interface WriteLease {
  readonly signal: AbortSignal;
  /** False once another node may have written: stop removals. */
  readonly isHeld: () => boolean;
}

/**
 * One writing node per repository: the server's former node may remove a backup on which a new one builds. restic's
 * locks do not help, as those of killed processes are ignored.
 */
export interface RepositoryWrites {
  /**
   * The lease signal aborts before another node may write. Callers of one process queue. Throws STORAGE_UNAVAILABLE
   * when another node still writes after `patienceMs`, and the reason of `signal`.
   */
  run<T>(
    serverId: string,
    options: { readonly signal: AbortSignal; readonly patienceMs: number },
    work: (lease: WriteLease) => Promise<T>,
  ): Promise<T>;
}
