import { fail } from '../reasons.js';

const maxPerServer = 4;
const maxPerNode = 16;

/** Each packing uses up to a full CPU. */
export class ArchiveReads {
  readonly #countByServer = new Map<string, number>();
  #count = 0;

  /** The returned function frees the place, once. Throws OPERATION_LIMIT. */
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
