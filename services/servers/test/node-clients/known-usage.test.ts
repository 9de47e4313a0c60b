import { AppError } from '@panel/kit/errors';
import { createAddressGuard } from '@panel/kit/net';
import { expect } from 'chai';
import { NodeFiles } from '../../src/node-clients/files.js';

const away = '127.0.0.1:7104';
const other = '127.0.0.1:7204';
const server = { id: 'a', userId: 'owner' };
const node = { filesAddress: away } as never;

/** By address; undefined: unavailable. */
function nodeFiles(
  answers: Record<string, { usedBytes: number; recorded: boolean } | undefined>,
  requests: unknown[] = [],
): NodeFiles {
  const connectTo = (address: string) => ({
    client: () => ({
      getVolumeUsage: async (request: unknown) => {
        requests.push(request);
        const answer = answers[address];
        if (!answer) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'is away');
        return answer;
      },
    }),
  });
  return new NodeFiles(
    connectTo as never,
    away,
    {} as never,
    createAddressGuard('allow'),
    {} as never,
    async () => other,
  );
}

describe('known disk usage', () => {
  it('takes what the records of another node have while the files service of the node is away', async () => {
    const files = nodeFiles({ [other]: { usedBytes: 5, recorded: true } });
    expect(await files.usage(node, server)).to.equal(5);
    expect(files.recentUsage(node, server)).to.equal(5);
  });

  it('acts upon measurements only', async () => {
    const recorded = { usedBytes: 5, recorded: true };
    expect(await nodeFiles({ [other]: recorded }).measuredUsage(node, server)).to.equal(0);
    expect(await nodeFiles({ [away]: recorded }).measuredUsage(node, server)).to.equal(0);
    expect(await nodeFiles({ [away]: { usedBytes: 6, recorded: false } }).measuredUsage(node, server)).to.equal(6);
  });

  it('knows nothing where nobody does', async () => {
    const files = nodeFiles({});
    expect(await files.usage(node, server)).to.equal(0);
    expect(files.recentUsage(node, server)).to.equal(null);
  });

  it('names the owner, whose turn a measurement is', async () => {
    const requests: unknown[] = [];
    const files = nodeFiles({ [away]: { usedBytes: 6, recorded: false } }, requests);
    await files.measuredUsage(node, server);
    expect(requests).to.deep.equal([{ serverId: 'a', ownerId: 'owner', recorded: true }]);
    await files.measureFresh(node, server);
    expect(requests[1]).to.deep.equal({ serverId: 'a', ownerId: 'owner', fresh: true });
  });
});
