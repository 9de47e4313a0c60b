import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { TransferPlaces, packedDirectories } from '../../src/workspace/transfer-places.js';

describe('directories packed at a time', () => {
  const limitOf = (take: () => unknown): unknown => {
    try {
      take();
      return null;
    } catch (error) {
      return isAppError(error, 'OPERATION_LIMIT') ? error.metadata['limit'] : error;
    }
  };

  it('leaves places of the node to others while the servers of one owner hold all of theirs', () => {
    const reads = new TransferPlaces(packedDirectories);
    const [owner, other] = [randomUUID(), randomUUID()];
    const servers = Array.from({ length: 4 }, () => ({ serverId: randomUUID(), ownerId: owner }));
    const limits = servers.flatMap((server) => Array.from({ length: 4 }, () => limitOf(() => reads.take(server))));
    expect(limits).to.deep.equal([...Array.from({ length: 8 }, () => null), ...Array.from({ length: 8 }, () => 8)]);
    expect(limitOf(() => reads.take({ serverId: randomUUID(), ownerId: other }))).to.equal(null);
  });

  it('packs four of a server and sixteen of a node, and one more when one has ended', () => {
    const reads = new TransferPlaces(packedDirectories);
    const first = { serverId: randomUUID() };
    const releases = Array.from({ length: 4 }, () => reads.take(first));
    expect(limitOf(() => reads.take(first))).to.equal(4);
    for (let count = 4; count < 16; count += 1) reads.take({ serverId: randomUUID() });
    expect(limitOf(() => reads.take({ serverId: randomUUID() }))).to.equal(16);
    releases[0]?.();
    releases[0]?.();
    expect(limitOf(() => reads.take(first))).to.equal(null);
    expect(limitOf(() => reads.take({ serverId: randomUUID() }))).to.equal(16);
  });
});
