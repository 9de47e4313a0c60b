import type { FileGrant } from '@panel/rpc';
import { fail } from '../reasons.js';

type Mover = Pick<FileGrant, 'serverId' | 'ownerId'>;

interface TransferLimits {
  /** Of a refusal. */
  readonly what: 'directories' | 'files';
  readonly way: 'downloaded' | 'uploaded';
  readonly perServer: number;
  /** A customer with many servers leaves places to others. */
  readonly perOwner: number;
  readonly perNode: number;
}

/** Each packing uses up to a full CPU. */
export const packedDirectories: TransferLimits = {
  what: 'directories',
  way: 'downloaded',
  perServer: 4,
  perOwner: 8,
  perNode: 16,
};

export class TransferPlaces {
  readonly #running = new Set<Mover>();

  constructor(private readonly limits: TransferLimits) {}

  /** The returned function frees the place, once. Throws OPERATION_LIMIT. */
  take({ serverId, ownerId }: Mover): () => void {
    const { perNode, perOwner, perServer, way, what } = this.limits;
    const running = [...this.#running];
    const counts: readonly (readonly [whose: string, count: number, limit: number])[] = [
      ['this server', running.filter((mover) => mover.serverId === serverId).length, perServer],
      [
        "the owner's servers",
        running.filter((mover) => ownerId !== undefined && mover.ownerId === ownerId).length,
        perOwner,
      ],
      ['the node', running.length, perNode],
    ];
    for (const [whose, count, limit] of counts) {
      if (count < limit) continue;
      throw fail('OPERATION_LIMIT', `too many ${what} of ${whose} are being ${way}`, { limit });
    }
    const mover = { serverId, ...(ownerId === undefined ? {} : { ownerId }) };
    this.#running.add(mover);
    return () => void this.#running.delete(mover);
  }
}
