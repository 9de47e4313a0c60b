import { isTooLargeForProxy, smallRequestBytes as smallestBytes } from '../api/errors.js';

const largestBytes = 64 * 1024 ** 2;

/** Of what one request carries, for proxies that limit it. */
export class PieceSize {
  #bytes = largestBytes;

  get bytes(): number {
    return this.#bytes;
  }

  /** In one request. Null: it is larger than a piece, or a proxy has refused it. */
  async sendWhole<T>(size: number, send: () => Promise<T>): Promise<T | null> {
    if (size >= this.#bytes) return null;
    try {
      return await send();
    } catch (error) {
      if (isTooLargeForProxy(error) && this.shrink(size)) return null;
      throw error;
    }
  }

  /** After a piece of `refused` bytes; false: it was one of the smallest. */
  shrink(refused: number): boolean {
    if (refused <= smallestBytes) return false;
    this.#bytes = Math.max(smallestBytes, Math.floor(Math.min(refused, this.#bytes) / 2));
    return true;
  }
}
