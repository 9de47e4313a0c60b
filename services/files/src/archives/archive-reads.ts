import { fail } from '../reasons.js';

const maxPerServer = 4;
const maxPerNode = 16;

/** Limits the archives packed for readers: each uses up to a full CPU. */
export class ArchiveReads {
  readonly #countByServer = new Map<string, number>();
  #count = 0;

  /** Reserves a place; the returned function frees it, once. Throws OPERATION_LIMIT. */
  take(serverId: string): () => void {
    const ofServer = this.#countByServer.get(serverId) ?? 0;
    if (ofServer >= maxPerServer || this.#count >= maxPerNode) {
      const limit = ofServer >= maxPerServer ? maxPerServer : maxPerNode;
      throw fail('OPERATION_LIMIT', 'too many directories are being downloaded', { limit });
    }
    this.#countByServer.set(serverId, ofServer + 1);
    this.#count += 1;
    return () => this.#release(serverId);
  }

  #release(serverId: string): void {
    const remaining = (this.#countByServer.get(serverId) ?? 1) - 1;
    if (remaining > 0) this.#countByServer.set(serverId, remaining);
    else this.#countByServer.delete(serverId);
    this.#count -= 1;
  }
}
