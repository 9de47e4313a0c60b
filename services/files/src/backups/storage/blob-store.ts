/** Archives by key `<server id>/<backup id>.tar.gz`. */
export interface BlobStore {
  /** Atomic and durable. `expectedBytes`: approximate maximum. Throws DISK_FULL, NODE_DISK_LOW, STORAGE_UNAVAILABLE. */
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
  list(prefix: string): AsyncIterable<string>;
  /** Of interrupted writes. */
  sweep(signal: AbortSignal): Promise<void>;
}
