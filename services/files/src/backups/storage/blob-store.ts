/** Keeps archives by key, `<server id>/<backup id>.tar.gz`. */
export interface BlobStore {
  /**
   * Durable when it resolves; whole or not there at all. `expectedBytes` is about the most the content has. Throws DISK_FULL,
   * NODE_DISK_LOW, STORAGE_UNAVAILABLE.
   */
  put(key: string, content: AsyncIterable<Buffer>, expectedBytes: number, signal: AbortSignal): Promise<void>;
  /** Throws BACKUP_MISSING, STORAGE_UNAVAILABLE. */
  size(key: string): Promise<number>;
  /** `length` bytes from `offset`. Throws BACKUP_MISSING, STORAGE_UNAVAILABLE. */
  read(
    key: string,
    range: { readonly offset: number; readonly length: number },
    signal: AbortSignal,
  ): AsyncIterable<Buffer>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  /** Keys that begin with `prefix`. */
  list(prefix: string): AsyncIterable<string>;
  /** Remove what interrupted writes have left. */
  sweep(signal: AbortSignal): Promise<void>;
}
